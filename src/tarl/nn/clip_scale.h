// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/host_device.h"

namespace tarl::nn {

// The factor that clips gradients of the given norm: max_norm / (norm + 1e-6) if below 1, else 1.
// max_norm = 0 means no limit.
TARL_HOST_DEVICE inline float clip_scale(double norm, double max_norm) {
  if (max_norm <= 0) return 1.0F;
  const double scale = max_norm / (norm + 1e-6);
  return static_cast<float>(scale < 1.0 ? scale : 1.0);
}

}  // namespace tarl::nn
