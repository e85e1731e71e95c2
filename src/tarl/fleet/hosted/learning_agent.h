// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/hosted/remote_agent.h"
#include "tarl/train/config.h"

namespace tarl::fleet {

// A RemoteAgent with train::Learner's counters.
class LearningAgent : public RemoteAgent {
 public:
  void sync_target() override;

  train::LearnerState learner() const override { return state_; }

 protected:
  // The config outlives the agent; `loop` is what train::Loop saved.
  LearningAgent(const train::RunConfig& config, const StateReader& loop);

  void count_update();

  const train::RunConfig& config_;
  train::LearnerState state_;
  train::WantedActions wanted_;  // by the current act
};

}  // namespace tarl::fleet
