// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/cpu_run.h"
#include <gtest/gtest.h>

#include "tarl/core/machine.h"
#include "tarl/fleet/host_lanes.h"
#include "tarl/train/make_agent.h"

// Runs that act and store but do not learn, so that the results depend only on how the environments
// are stepped.
namespace tarl::fleet::test {

inline train::RunConfig idle_run(const std::string& algo, const std::string& env, int n_envs,
                                 int seed, std::vector<std::string> more = {}) {
  std::vector<std::string> set = {"steps=2000",
                                  "learning_starts=300",
                                  "train_freq=100000",
                                  "buffer_size=3000",
                                  "eval.count=1",
                                  "policy.net_arch=[16]",
                                  "n_envs=" + std::to_string(n_envs),
                                  "seed=" + std::to_string(seed)};
  set.insert(set.end(), more.begin(), more.end());
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

// The counterpart of CpuRun with HostLanes instead of train::Loop, driven by arrivals.
struct HostRun {
  HostRun(CorePool& pool, const train::RunConfig& run_config, std::int64_t step = 0)
      : config(run_config),
        root(seeded(static_cast<std::uint64_t>(config.seed))),
        make(train::environments_of(config)),
        logs(folder.path(), {.env_id = config.env}),
        recorder(config, logs),
        lanes(pool, {.name = "run-" + std::to_string(config.seed),
                     .env = config.env,
                     .make = make,
                     .root = root,
                     .n_envs = static_cast<int>(config.n_envs),
                     .step = step}),
        agent(train::make_agent(config, lanes.slots().spec(), root, team)),
        replay(replay::make_replay(config.replay, lanes.slots().spec().obs,
                                   lanes.slots().spec().action, config.buffer_size,
                                   static_cast<int>(config.n_envs), 1, config.gamma, nullptr)) {}

  void send() {
    train::choose_actions(config, lanes.step(), *agent, lanes.slots());
    lanes.send();
  }

  // Call when the run was received. Returns whether it is between steps.
  bool arrived() {
    if (!lanes.in_step()) return true;
    for (int slot = 0; slot < lanes.slots().size(); ++slot) {
      replay->add(lanes.slots().transition(slot));
    }
    return lanes.end_step([&](const train::FinishedEpisode& episode) {
      ++episodes;
      recorder.episode(episode.score, episode.length, lanes.step());
    });
  }

  Tensors state() const {
    Tensors tensors;
    StateWriter out(tensors);
    lanes.save(out);
    recorder.save(out);
    StateWriter group = out.group("replay");
    replay->save(group);
    return tensors;
  }

  void load(const Tensors& tensors, bool in_step = false) {
    const StateReader in(tensors, "test");
    lanes.load(in, in_step);
    recorder.load(in);
    replay->load(in.group("replay"));
  }

  tarl::test::TemporaryFolder folder;
  train::RunConfig config;
  Rng root;
  rl::MakeEnvironment make;
  Team team{1};
  store::RunLogs logs;
  train::RunRecorder recorder;
  HostLanes lanes;
  std::unique_ptr<rl::Agent> agent;
  std::unique_ptr<rl::Replay> replay;
  int episodes = 0;
};

// Advances all runs to `step`, each at its own pace.
inline void run_to(CorePool& pool, const std::vector<std::unique_ptr<HostRun>>& runs,
                   std::int64_t step) {
  const auto go_on = [&](HostRun& run) {
    if (run.lanes.step() < step) run.send();
  };
  for (const auto& run : runs) {
    // A run loaded within a step ends that step first.
    if (!pool.busy(run->lanes.id()) && run->arrived()) go_on(*run);
  }
  while (const auto id = pool.receive()) {
    for (const auto& run : runs) {
      if (run->lanes.id() == *id && run->arrived()) go_on(*run);
    }
  }
}

// Expects the state of a run without a learner to be part of a complete one's.
inline void expect_part_of(const Tensors& ours, const Tensors& loop, const std::string& what) {
  for (const auto& [name, tensor] : ours) {
    if (name == "last_evaluation") continue;  // only train::Loop has it
    const auto other = loop.find(name);
    ASSERT_NE(other, loop.end()) << what << ": " << name;
    EXPECT_TRUE(other->second.bytes == tensor.bytes) << what << ": " << name << " differs";
  }
  for (const auto& [name, tensor] : loop) {
    EXPECT_TRUE(ours.contains(name) || !name.starts_with("lane/")) << what << ": " << name;
  }
}

inline CorePool::Options threads(int count) {
  const std::vector<int> cpus = usable_cpus();
  CorePool::Options options;
  for (int i = 0; i < count; ++i) {
    options.cpus.push_back(cpus[static_cast<std::size_t>(i) % cpus.size()]);
  }
  return options;
}

}  // namespace tarl::fleet::test
