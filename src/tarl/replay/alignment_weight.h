// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tarl/core/host_device.h"

namespace tarl::replay {

// How heavily align.mode = prioritize draws a transition whose last score is A, in [0, 1].
TARL_HOST_DEVICE inline double alignment_weight(double score, double eps, double kappa) {
  return std::pow(score + eps, kappa);
}

}  // namespace tarl::replay
