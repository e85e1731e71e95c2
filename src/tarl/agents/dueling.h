// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/host_device.h"

namespace tarl::agents {

// q = V + A - mean A, of a row of A and then V.
TARL_HOST_DEVICE inline void combine_dueling(const float* z, int actions, float* q) {
  float sum = 0;
  for (int a = 0; a < actions; ++a) sum += z[a];
  const float base = z[actions] - sum / static_cast<float>(actions);
  for (int a = 0; a < actions; ++a) q[a] = base + z[a];
}

// The gradient of that.
TARL_HOST_DEVICE inline void split_dueling(const float* dq, int actions, float* dz) {
  float sum = 0;
  for (int a = 0; a < actions; ++a) sum += dq[a];
  const float mean = sum / static_cast<float>(actions);
  for (int a = 0; a < actions; ++a) dz[a] = dq[a] - mean;
  dz[actions] = sum;
}

}  // namespace tarl::agents
