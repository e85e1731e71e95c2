// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/fleet/cuda/ptx.cuh"

// A thread block of kThreads threads runs one agent; all of its threads call the functions here.
namespace tarl::fleet {

inline constexpr int kThreads = 512;
inline constexpr int kWarps = kThreads / 32;
inline constexpr unsigned kFullWarp = 0xFFFFFFFFU;

__device__ inline int thread_id() {
  return ptx::thread_index();
}

__device__ inline int warp_id() {
  return thread_id() / 32;
}

__device__ inline int lane_id() {
  return thread_id() % 32;
}

// Warp sums and maxima over a fixed tree, neighbours first: the sum of 32 leaves equals their
// common ancestor in a binary sum tree, bit for bit.
template <class T>
__device__ inline T warp_sum(T value) {
  for (int o = 1; o < 32; o *= 2) value += __shfl_xor_sync(kFullWarp, value, o);
  return value;
}

// Eight sums at once over each half of the warp: lane i receives the sum of value[i % 8].
__device__ inline float half_warp_sums(const float (&value)[8], int lane) {
  float four[4], two[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool up = (lane & 4) != 0;
    four[i] = (up ? value[i + 4] : value[i]) +
              __shfl_xor_sync(kFullWarp, up ? value[i] : value[i + 4], 4);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const bool up = (lane & 2) != 0;
    two[i] =
        (up ? four[i + 2] : four[i]) + __shfl_xor_sync(kFullWarp, up ? four[i] : four[i + 2], 2);
  }
  const bool up = (lane & 1) != 0;
  const float one = (up ? two[1] : two[0]) + __shfl_xor_sync(kFullWarp, up ? two[0] : two[1], 1);
  return one + __shfl_xor_sync(kFullWarp, one, 8);
}

template <class T>
__device__ inline T warp_max(T value) {
  for (int o = 1; o < 32; o *= 2) {
    const T other = __shfl_xor_sync(kFullWarp, value, o);
    value = other > value ? other : value;
  }
  return value;
}

// The same over the block, in a fixed order. `scratch` holds kWarps values and may be reused on
// return.
template <class T>
__device__ inline T block_sum(T value, T* scratch) {
  value = warp_sum(value);
  if (lane_id() == 0) scratch[warp_id()] = value;
  __syncthreads();
  const T total = warp_sum(lane_id() < kWarps ? scratch[lane_id()] : T{0});
  __syncthreads();
  return total;
}

// Requires non-negative values.
template <class T>
__device__ inline T block_max(T value, T* scratch) {
  value = warp_max(value);
  if (lane_id() == 0) scratch[warp_id()] = value;
  __syncthreads();
  const T largest = warp_max(lane_id() < kWarps ? scratch[lane_id()] : T{0});
  __syncthreads();
  return largest;
}

// A few neighbouring threads share an item. Requires at most kThreads / 2 items.
struct ItemSubwarp {
  int size, item, lane;

  __device__ static ItemSubwarp of(int items) {
    const int shift = items <= 64 ? 3 : items <= 128 ? 2 : 1, size = 1 << shift;
    return {size, thread_id() >> shift, thread_id() & (size - 1)};
  }

  __device__ int sum(int value) const {
#pragma unroll 1
    for (int o = 1; o < size; o *= 2) value += __shfl_xor_sync(kFullWarp, value, o);
    return value;
  }
};

// n % d and n / d for non-negative numbers. Operands below 2^32, almost always the case, take the
// short path: the GPU emulates 64-bit division in software.
__device__ inline std::int64_t remainder_of(std::int64_t n, std::int64_t d) {
  if ((static_cast<std::uint64_t>(n) | static_cast<std::uint64_t>(d)) >> 32 != 0) return n % d;
  return static_cast<std::uint32_t>(n) % static_cast<std::uint32_t>(d);
}

__device__ inline std::int64_t quotient_of(std::int64_t n, std::int64_t d) {
  if ((static_cast<std::uint64_t>(n) | static_cast<std::uint64_t>(d)) >> 32 != 0) return n / d;
  return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(d);
}

}  // namespace tarl::fleet
