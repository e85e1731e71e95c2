// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/place.cuh"

// Slopes are scaled before they are rounded to fp16, according to the largest one of the update.
// For agents in f32 the pointers to it are null.
namespace tarl::fleet {

inline constexpr int kSlopePower = 6, kMostPower = 100;  // of two

// The power of two that makes the largest slope about 64: fp16 can hold a thousand times more, and
// a billionth of it.
__device__ inline float slope_scale(float largest) {
  const float size = fabsf(largest);
  const bool usual = size > 0 && isfinite(size);
  const int power = usual ? kSlopePower - ilogbf(size) : 0;
  return ldexpf(1.0F, power < kMostPower ? power : kMostPower);
}

__device__ inline void clear_slope(float* largest) {
  if (largest != nullptr) *largest = 0;
}

// Raises `largest` to the size of a slope if that is larger. NaN counts as larger than anything.
__device__ inline void note_slope(float slope, float* largest) {
  if (largest == nullptr) return;
  atomicMax(reinterpret_cast<unsigned*>(largest), __float_as_uint(fabsf(slope)));
}

// The same for a whole warp; `size` is the largest of the lane.
__device__ inline void note_slopes(float size, float* largest) {
  if (largest == nullptr) return;
  const unsigned most = __reduce_max_sync(0xFFFFFFFFU, __float_as_uint(size));
  if (lane_of_warp() == 0) note_slope(__uint_as_float(most), largest);
}

}  // namespace tarl::fleet
