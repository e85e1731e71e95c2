// SPDX-License-Identifier: MIT
//
// CUDA's extensions of C++ in kernels.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "fleet/emulated/machine.h"
#include <math.h>

#define __device__
#define __host__
#define __global__
#define __shared__
#define __grid_constant__
#define __noinline__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};

struct alignas(8) float2 {
  float x, y;
};

struct alignas(8) int2 {
  int x, y;
};

struct alignas(8) uint2 {
  unsigned x, y;
};

struct alignas(16) float4 {
  float x, y, z, w;
};

struct alignas(16) int4 {
  int x, y, z, w;
};

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline float2 make_float2(float x, float y) {
  return {x, y};
}

inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}

inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

inline int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}

inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

extern uint3 threadIdx, blockIdx;

// A plain read-modify-write: only one block runs at any moment.
inline unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned old = *to;
  *to += value;
  return old;
}

inline unsigned atomicMax(unsigned* to, unsigned value) {
  const unsigned old = *to;
  *to = std::max(old, value);
  return old;
}

inline void __syncthreads() {
  tarl::emulated::meet_block(0);
}

inline int __syncthreads_count(int value) {
  return tarl::emulated::meet_block(value != 0 ? 1 : 0);
}

inline int __syncthreads_or(int value) {
  return __syncthreads_count(value) != 0 ? 1 : 0;
}

inline int __syncthreads_and(int value) {
  return __syncthreads_count(value == 0) == 0 ? 1 : 0;
}

inline void __syncwarp(unsigned mask = 0xFFFFFFFFU) {
  tarl::emulated::exchange(tarl::emulated::Collective::kSync, mask, 0);
}

inline int tarl_lane() {
  return static_cast<int>(threadIdx.x % 32);
}

template <class T>
T tarl_shuffle(unsigned mask, T value, int from) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  word = tarl::emulated::exchange(tarl::emulated::Collective::kShuffle, mask, word)[from];
  std::memcpy(&value, &word, sizeof(T));
  return value;
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return tarl_shuffle(mask, value, lane % 32);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes) {
  return tarl_shuffle(mask, value, tarl_lane() ^ lanes);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned lanes) {
  const int from = tarl_lane() - static_cast<int>(lanes);
  return tarl_shuffle(mask, value, from < 0 ? tarl_lane() : from);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned lanes) {
  const int from = tarl_lane() + static_cast<int>(lanes);
  return tarl_shuffle(mask, value, from > 31 ? tarl_lane() : from);
}

inline unsigned __ballot_sync(unsigned mask, int vote) {
  using tarl::emulated::Collective;
  const std::uint64_t* votes = tarl::emulated::exchange(Collective::kVote, mask, vote != 0 ? 1 : 0);
  unsigned ballot = 0;
  for (int lane = 0; lane < 32; ++lane) ballot |= static_cast<unsigned>(votes[lane]) << lane;
  return ballot;
}

inline int __all_sync(unsigned mask, int vote) {
  return __ballot_sync(mask, vote) == mask ? 1 : 0;
}

inline int __any_sync(unsigned mask, int vote) {
  return __ballot_sync(mask, vote) != 0 ? 1 : 0;
}

inline int __reduce_add_sync(unsigned mask, int value) {
  for (int o = 1; o < 32; o *= 2) value += __shfl_xor_sync(mask, value, o);
  return value;
}

inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  for (int o = 1; o < 32; o *= 2) value = std::max(value, __shfl_xor_sync(mask, value, o));
  return value;
}

inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  for (int o = 1; o < 32; o *= 2) value |= __shfl_xor_sync(mask, value, o);
  return value;
}

inline void __threadfence() {}

inline void __threadfence_block() {}

inline int __popc(unsigned x) {
  return std::popcount(x);
}

inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}

inline int __ffs(int x) {
  return __builtin_ffs(x);
}

inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}

inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned from = selector >> (4 * i) & 0xF;
    auto byte = static_cast<unsigned>(bytes >> (8 * (from & 7)) & 0xFF);
    if ((from & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    out |= byte << (8 * i);
  }
  return out;
}

inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}

inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}

inline std::size_t __cvta_generic_to_shared(const void* p) {
  return tarl::emulated::shared_address(p);
}
