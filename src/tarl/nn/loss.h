// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>

#include "tarl/core/host_device.h"

namespace tarl::nn {

enum class LossKind { kHuber, kMse };
inline constexpr std::array kLossNames = {"huber", "mse"};

// Loss of one prediction error e = prediction - target.
// Huber: e^2/2 if |e| < 1 else |e| - 1/2. Mse: e^2.
TARL_HOST_DEVICE inline double loss_value(LossKind kind, double error) {
  if (kind == LossKind::kMse) return error * error;
  const double size = std::fabs(error);
  return size < 1.0 ? 0.5 * error * error : size - 0.5;
}

// The derivative of the loss by the prediction. NaN propagates.
TARL_HOST_DEVICE inline float loss_slope(LossKind kind, float error) {
  if (kind == LossKind::kMse) return 2.0F * error;
  return error > 1.0F ? 1.0F : error < -1.0F ? -1.0F : error;
}

}  // namespace tarl::nn
