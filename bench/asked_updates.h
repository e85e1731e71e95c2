// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "tarl/fleet/hosted/remote_agent.h"
#include "tarl/train/make_agent.h"

namespace bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The saved state of an agent that has not learned yet.
inline tarl::Tensors fresh_agent(const tarl::train::RunConfig& config,
                                 const tarl::rl::EnvSpec& spec, tarl::Rng rng) {
  using namespace tarl;  // NOLINT(google-build-using-namespace)
  Team team(1);
  Tensors loop;
  StateWriter out(loop);
  StateWriter agent = out.group(train::kAgentGroup), learner = out.group(train::kLearnerGroup);
  train::make_agent(config, spec, rng, team)->save(agent);
  train::LearnerState{}.save(learner);
  return loop;
}

// Agents that request their next update as soon as they receive the previous one, from a replay of
// `rows` rows.
class AskedUpdates {
 public:
  explicit AskedUpdates(std::uint32_t rows) : rows_(rows) {}

  void add(std::unique_ptr<tarl::fleet::RemoteAgent> agent, std::size_t candidates) {
    const auto seed = static_cast<std::uint64_t>(asking_.size());
    asking_.push_back(
        {std::move(agent), tarl::seeded(seed), std::vector<std::int64_t>(candidates)});
  }

  // Updates per second of all agents together; `turn` advances them.
  template <class Turn>
  double per_second(double seconds, Turn turn) {
    for (Asking& one : asking_) ask(one);
    turn_for(seconds / 4, turn);
    const Clock::time_point begin = Clock::now();
    const std::int64_t updates = turn_for(seconds, turn);
    return static_cast<double>(updates) / seconds_since(begin);
  }

 private:
  struct Asking {
    std::unique_ptr<tarl::fleet::RemoteAgent> agent;
    tarl::Rng draws;
    std::vector<std::int64_t> slots;
  };

  void ask(Asking& one) const {
    for (std::int64_t& slot : one.slots) slot = one.draws.below(rows_);
    one.agent->update(one.slots, 0);
  }

  template <class Turn>
  std::int64_t turn_for(double seconds, Turn turn) {
    std::int64_t updates = 0;
    const Clock::time_point begin = Clock::now();
    while (seconds_since(begin) < seconds) {
      turn();
      for (Asking& one : asking_) {
        if (!one.agent->updated(means_)) continue;
        ++updates;
        ask(one);
      }
    }
    return updates;
  }

  std::uint32_t rows_;
  std::vector<Asking> asking_;
  tarl::train::Means means_;
};

}  // namespace bench
