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
  // "auto_0.1" (learned, and where it starts) or a number; "auto": see completed()
  std::string ent_coef = "auto";
  double target_entropy = std::numeric_limits<double>::quiet_NaN();  // "auto"; see completed()
  AlignmentTarget alignment_target = AlignmentTarget::kClipped;      // sac.alignment_target
};

Fields fields(SacConfig& config);

// With a temperature that is learned from 1, and with minus the action's size as the entropy it
// aims at, where they are auto.
SacConfig completed(SacConfig config, int action_size);

// What ent_coef says.
struct EntropyCoefficient {
  double initial = 1;
  bool learned = true;
};

// Of a completed config. Throws UsageError that says what is allowed.
EntropyCoefficient entropy_coefficient(const SacConfig& config);

}  // namespace tarl::agents
