// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/agents/alignment_target.h"
#include "tarl/core/fields.h"

namespace tarl::agents {

// Settings of SAC. Names and values are Stable-Baselines3's, which are the paper's.
struct SacConfig {
  std::vector<std::int64_t> net_arch = {256, 256};  // policy.net_arch, actor and critics alike
  double learning_rate = 3e-4;
  std::string ent_coef = "auto";        // "auto", "auto_0.1" (where it starts) or a number
  std::string target_entropy = "auto";  // "auto" (minus the action's size) or a number
  AlignmentTarget alignment_target = AlignmentTarget::kClipped;  // sac.alignment_target
};

Fields fields(SacConfig& config);

// What ent_coef says.
struct EntropyCoefficient {
  double initial = 1;
  bool learned = true;
};

// Both throw UsageError that says what is allowed.
EntropyCoefficient entropy_coefficient(const SacConfig& config);
double target_entropy(const SacConfig& config, int action_size);

}  // namespace tarl::agents
