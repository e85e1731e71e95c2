// SPDX-License-Identifier: MIT
#include "tarl/agents/td3_config.h"

namespace tarl::agents {

Fields fields(Td3Config& config) {
  constexpr double kTiny = 1e-300;  // above zero
  return {
      sizes("policy.net_arch", config.net_arch, 2, 65536,
            "widths of the hidden layers of the actor and of each critic"),
      integer("policy.n_critics", config.n_critics, 1, 8, "critics; targets take the smallest"),
      number("learning_rate", config.learning_rate, kTiny, 1e3,
             "step size of Adam, for actor and critics"),
      integer("policy_delay", config.policy_delay, 1, 1e6,
              "updates of the critics for one of the actor and of the targets"),
      number("target_policy_noise", config.target_policy_noise, 0, 10,
             "standard deviation of the noise on the target's action"),
      number("target_noise_clip", config.target_noise_clip, 0, 10, "limit of that noise"),
      number("action_noise", config.action_noise, 0, 10,
             "standard deviation of the noise on actions while exploring"),
      choice("td3.alignment_target", config.alignment_target, kAlignmentTargetNames,
             "targets a critic is scored with: the smallest critic's, as trained on, or its own"),
  };
}

Td3Config ddpg_config() {
  Td3Config config;
  config.n_critics = 1;
  config.policy_delay = 1;
  config.target_policy_noise = 0;
  config.target_noise_clip = 0;
  return config;
}

}  // namespace tarl::agents
