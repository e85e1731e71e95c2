// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tarl/fleet/fleet_run.h"
#include "tarl/fleet/minatar_dqn/device_agent.h"
#include "tarl/fleet/minatar_dqn/specify.h"
#include "tarl/train/run.h"

namespace tarl::fleet::test {

inline train::RunConfig short_run(const std::string& algo, const std::string& env,
                                  std::vector<std::string> set = {}) {
  std::vector<std::string> all = {"steps=1000",      "learning_starts=100",
                                  "train_freq=1",    "target_update_interval=150",
                                  "buffer_size=600", "eval.count=1"};
  all.insert(all.end(), set.begin(), set.end());
  return train::resolve({.algo = algo, .env = env, .set = std::move(all)});
}

// An agent at the start of its run.
inline std::unique_ptr<DeviceAgent> new_device_agent(const train::RunConfig& config,
                                                     bool record = false) {
  const AgentSpec spec = make_spec(config);
  const Tensors state = fresh_state(config);
  return make_device_agent(spec, load_image(spec, StateReader(state, "a new run")),
                           {.precision = config.fleet.precision,
                            .eval_keys = evaluation_keys(config),
                            .record = record});
}

// Steps a device agent to `stop`, passing evaluations on the way.
inline void advance(DeviceAgent& agent, std::int64_t stop) {
  do {
    agent.start(agent.state(), stop);
    while (!agent.ended()) {
    }
  } while (agent.state().end == SliceEnd::kEvaluated || agent.state().end == SliceEnd::kLogFull);
}

// Works on a run in its folder until it is finished or, given `slices`, stops it after that many
// slices.
inline FleetRun::State work(const train::RunConfig& config, const fs::path& folder,
                            int slices = -1) {
  FleetRun run(config, folder, nullptr);
  while (true) {
    const FleetRun::State state = run.poll(slices == 0);
    if (state == FleetRun::State::kAdvanced && slices > 0) --slices;
    if (state == FleetRun::State::kFinished || state == FleetRun::State::kStopped) return state;
  }
}

inline std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Whether two agents have stored the same transitions.
inline bool same_rows(const replay::Storage& a, const replay::Storage& b) {
  const replay::ConstStorageRows ours = a.rows(), theirs = b.rows();
  return std::ranges::equal(ours.frames, theirs.frames) &&
         std::ranges::equal(ours.action_index, theirs.action_index) &&
         std::ranges::equal(ours.reward, theirs.reward) &&
         std::ranges::equal(ours.flags, theirs.flags);
}

// A hash of what an agent has learned and seen.
inline std::uint64_t hash_of(DeviceAgent& agent) {
  const AgentImage image = agent.download();
  return xxh3(std::as_bytes(std::span(image.values))) ^
         xxh3(std::as_bytes(std::span(image.moment[0]))) * 31 ^
         xxh3(std::as_const(image.storage).rows().frames) ^
         xxh3(std::as_bytes(std::span(image.reaper.row))) * 37 ^
         xxh3(std::as_bytes(std::span(image.reaper.episode))) * 41 ^
         xxh3(std::as_bytes(std::span(image.reaper.group_weight))) * 43;
}

}  // namespace tarl::fleet::test
