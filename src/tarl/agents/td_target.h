// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/host_device.h"

namespace tarl::agents {

// y = r + discount V(s'): `reward` is the n-step return, `discount` gamma^n, 0 at a true end.
TARL_HOST_DEVICE inline float td_target(float reward, float discount, float next_value) {
  return reward + discount * next_value;
}

// The smaller of two critics' values. NaN propagates, so that a diverged run is noticed.
TARL_HOST_DEVICE inline float smaller_value(float value, float other) {
  return other < value || other != other ? other : value;
}

// The lowest of the actions with the largest value.
TARL_HOST_DEVICE inline int greedy_action(const float* q, int actions) {
  int best = 0;
  for (int a = 1; a < actions; ++a) best = q[a] > q[best] ? a : best;
  return best;
}

}  // namespace tarl::agents
