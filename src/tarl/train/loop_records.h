// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"

// What checkpoints hold of a run besides its parts, on whatever device it is computed.
namespace tarl::train {

// Groups of a run's state, beside those of env_slot.h.
inline constexpr const char* kLoopGroup = "loop";  // of a checkpoint; those of a loop:
inline constexpr const char* kLearnerGroup = "learner";
inline constexpr const char* kAgentGroup = "agent";
inline constexpr const char* kReplayGroup = "replay";

// Where a step was interrupted: an evaluation can be stopped and repeated.
enum class Phase : std::int32_t { kCollect, kEvaluate, kLearn };

struct LoopPosition {
  std::int64_t step = 0;
  std::int64_t evaluations = 0;  // made so far
  Phase phase = Phase::kCollect;

  void save(StateWriter& out) const;
  static LoopPosition load(const StateReader& in);
};

struct LearnerState {
  Rng sample_rng, noise_rng;
  std::int64_t updates = 0;
  std::int64_t updates_since_sync = 0;  // since the last hard sync
  double target_lag = 0;                // the same if every sync is hard; see kTargetLag

  void save(StateWriter& out) const;
  static LearnerState load(const StateReader& in);
};

}  // namespace tarl::train
