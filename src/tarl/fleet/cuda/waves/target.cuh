// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::fleet {

// A parameter of the target network after nn::mix_into().
__device__ inline float mixed(float tau, float online, float old) {
  return tau == 1.0F ? online : fmaf(tau, online - old, old);
}

}  // namespace tarl::fleet
