// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tarl/agents/alignment_target.h"
#include "tarl/core/fields.h"

namespace tarl::agents {

// Settings of SAC. Names and values are Stable-Baselines3's, which are the paper's.
struct SacConfig {
  std::vector<std::int64_t> net_arch = {256, 256};  // policy.net_arch, actor and critics alike
  double learning_rate = 3e-4;
  // "auto_0.1" (learned, with its start) or a number; "auto": see completed()
  std::string ent_coef = "auto";
  double target_entropy = std::numeric_limits<double>::quiet_NaN();  // "auto"; see completed()
  AlignmentTarget alignment_target = AlignmentTarget::kClipped;      // sac.alignment_target
};

Fields fields(SacConfig& config);

// Replaces auto: a temperature that is learned from 1, and minus the action's size as its target
// entropy.
SacConfig completed(SacConfig config, int action_size);

// The parsed ent_coef.
struct EntropyCoefficient {
  double initial = 1;
  bool learned = true;
};

// For a completed config. Throws UsageError that says what is allowed.
EntropyCoefficient entropy_coefficient(const SacConfig& config);

}  // namespace tarl::agents
