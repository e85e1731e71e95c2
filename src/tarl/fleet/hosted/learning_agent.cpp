// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/learning_agent.h"

namespace tarl::fleet {

LearningAgent::LearningAgent(const train::RunConfig& config, const StateReader& loop)
    : config_(config), state_(train::LearnerState::load(loop.group(train::kLearnerGroup))) {}

void LearningAgent::count_update() {
  ++state_.updates;
  ++state_.updates_since_sync;
  ++state_.target_lag;
}

void LearningAgent::sync_target() {
  state_.target_lag *= 1 - config_.tau;
  if (config_.tau == 1.0) state_.updates_since_sync = 0;
}

}  // namespace tarl::fleet
