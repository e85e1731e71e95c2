// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/agents/alignment_target.h"
#include "tarl/core/fields.h"

namespace tarl::agents {

// Settings of TD3. Names and values are Stable-Baselines3's, except for the smaller network.
struct Td3Config {
  std::vector<std::int64_t> net_arch = {256, 256};  // policy.net_arch, actor and critics alike
  std::int64_t n_critics = 2;                       // policy.n_critics
  double learning_rate = 1e-3;
  std::int64_t policy_delay = 2;     // critic updates per update of actor and targets
  double target_policy_noise = 0.2;  // standard deviation, added to the target's action
  double target_noise_clip = 0.5;
  double action_noise = 0.1;  // standard deviation, added to actions while exploring
  AlignmentTarget alignment_target = AlignmentTarget::kClipped;  // td3.alignment_target
};

Fields fields(Td3Config& config);

// DDPG is TD3 with one critic, no delay and no noise on the target's action.
Td3Config ddpg_config();

}  // namespace tarl::agents
