// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/host_device.h"

namespace tarl::agents {

// y = r + discount V(s'): `reward` is the n-step return, `discount` gamma^n, 0 at a true end.
TARL_HOST_DEVICE inline float td_target(float reward, float discount, float next_value) {
  return reward + discount * next_value;
}

}  // namespace tarl::agents
