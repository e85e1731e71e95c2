// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/core/fields.h"

namespace tarl::agents {

// Settings of DQN and its variants. Names are Stable-Baselines3's where it has one; values are the
// paper's for MinAtar, and its prototype's where the paper is silent.
struct DqnConfig {
  std::string network = "auto";        // policy.network
  std::vector<std::int64_t> net_arch;  // policy.net_arch; empty: the network's own
  bool dueling = false;
  bool double_q = false;
  double learning_rate = 2.5e-4;
  std::string loss = "huber";
  double max_grad_norm = 10;
  std::string optimizer = "rmsprop";
  double rmsprop_alpha = 0.95;
  double rmsprop_eps = 0.01;
  bool rmsprop_centered = false;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_eps = 1e-8;
};

Fields fields(DqnConfig& config);

}  // namespace tarl::agents
