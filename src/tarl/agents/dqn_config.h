// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tarl/core/fields.h"
#include "tarl/nn/loss.h"
#include "tarl/nn/optimizer.h"
#include "tarl/rl/spec.h"

namespace tarl::agents {

enum class NetworkKind { kAuto, kMinatar, kMlp, kNature };
inline constexpr std::array kNetworkNames = {"auto", "minatar", "mlp", "nature"};

// Settings of DQN and its variants. Names are Stable-Baselines3's where it has them; values are the
// paper's for MinAtar, or its prototype's where the paper is silent.
struct DqnConfig {
  NetworkKind network = NetworkKind::kAuto;  // policy.network; see completed()
  std::vector<std::int64_t> net_arch;        // policy.net_arch; likewise if empty
  bool dueling = false;
  bool double_q = false;
  double learning_rate = 2.5e-4;
  nn::LossKind loss = nn::LossKind::kHuber;
  double max_grad_norm = 10;
  nn::OptimizerKind optimizer = nn::OptimizerKind::kRmsprop;
  double rmsprop_alpha = 0.95;
  double rmsprop_eps = 0.01;
  bool rmsprop_centered = false;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_eps = 1e-8;
};

Fields fields(DqnConfig& config);

// Replaces an auto network by the one that fits the observations, and empty widths by that
// network's own.
DqnConfig completed(DqnConfig config, rl::ObsKind obs);

}  // namespace tarl::agents
