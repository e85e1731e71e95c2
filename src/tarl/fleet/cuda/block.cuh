// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// One block of kThreads threads is one agent. Everything here is called by all of them.
namespace tarl::fleet {

inline constexpr int kThreads = 512;
inline constexpr int kWarps = kThreads / 32;
inline constexpr unsigned kFullWarp = 0xFFFFFFFFU;

__device__ inline int thread_id() {
  return static_cast<int>(threadIdx.x);
}

__device__ inline int warp_id() {
  return thread_id() / 32;
}

__device__ inline int lane_id() {
  return thread_id() % 32;
}

// Sums and maxima over a warp by one fixed tree: neighbours first, so that the sum of 32 leaves is
// what a binary sum tree has at their common ancestor.
template <class T>
__device__ inline T warp_sum(T value) {
  for (int o = 1; o < 32; o *= 2) value += __shfl_xor_sync(kFullWarp, value, o);
  return value;
}

template <class T>
__device__ inline T warp_max(T value) {
  for (int o = 1; o < 32; o *= 2) {
    const T other = __shfl_xor_sync(kFullWarp, value, o);
    value = other > value ? other : value;
  }
  return value;
}

template <class T>
__device__ inline T warp_min(T value) {
  return -warp_max(-value);
}

// The same over the block, in a fixed order. `room` holds kWarps values and is free afterwards only
// once the block has met again.
template <class T>
__device__ inline T block_sum(T value, T* room) {
  value = warp_sum(value);
  if (lane_id() == 0) room[warp_id()] = value;
  __syncthreads();
  T total = room[0];
  for (int w = 1; w < kWarps; ++w) total += room[w];
  __syncthreads();
  return total;
}

template <class T>
__device__ inline T block_max(T value, T* room) {
  value = warp_max(value);
  if (lane_id() == 0) room[warp_id()] = value;
  __syncthreads();
  T largest = room[0];
  for (int w = 1; w < kWarps; ++w) largest = room[w] > largest ? room[w] : largest;
  __syncthreads();
  return largest;
}

}  // namespace tarl::fleet
