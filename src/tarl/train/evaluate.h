// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/rl/agent.h"
#include "tarl/rl/environment.h"

namespace tarl::train {

struct EvaluationScores {
  std::vector<double> returns;        // [episodes]
  std::vector<std::int64_t> lengths;  // [episodes] environment steps
  std::int64_t cut = 0;               // episodes ended by the environment's evaluation limit
};

struct EvaluationRequest {
  const rl::MakeEnvironment& make;
  rl::Agent& agent;
  int episodes = 5;
  double epsilon = 0;
  Rng stream;                            // all randomness of this evaluation
  std::function<bool()> stop = nullptr;  // polled at every step
};

// Plays whole episodes with the current policy in environments of its own, stepped together.
// A pure function of the parameters and the stream. Nothing when `stop` said so.
std::optional<EvaluationScores> evaluate_policy(const EvaluationRequest& request);

}  // namespace tarl::train
