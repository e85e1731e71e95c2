// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tarl/fleet/cuda/agent_view.cuh"
#include "tarl/fleet/cuda/fp16_conv.cuh"
#include "tarl/fleet/fp16_layout.h"

// What the fp16 kernel keeps in shared memory beside Shared.
namespace tarl::fleet {

inline constexpr int kFp16Rows = 128;  // most candidates
inline constexpr int kKept = 32;       // rows an update learns from
inline constexpr int kHiddenStride = 136;

// The ring through which the forward pass reads weights: stages of four parts of two places each.
inline constexpr int kStages = 4;
inline constexpr int kStagePlaces = 2;
inline constexpr int kPlaceBytes = kUnitGroups * kHighBytes;
inline constexpr int kPartBytes = kStagePlaces * kPlaceBytes;
inline constexpr int kStageBytes = 4 * kPartBytes;

// The ring of each warp in the backward pass: a block's fp16s, low bits and moments.
inline constexpr int kSlots = 3;
inline constexpr int kSlotBytes = kHighBytes + kRestBytes;
inline constexpr int kWarpRing = kSlots * kSlotBytes;
inline constexpr int kWarpPlaces = kPositions / kWarps;
inline constexpr int kStashBytes = kWarpPlaces * 1024;  // of a warp: gradients of features, fp16

inline constexpr int kMainBytes = 147456;
inline constexpr int kRingBytes = kWarps * kWarpRing;
inline constexpr int kPartials = 7;  // six actions and the bias, for each unit

template <bool kSmall>
struct alignas(128) Fp16Room {
  // Forward: the ring, then partial sums of H. Acting: features and partial sums. Backward: the
  // warps' rings, then H and partial sums of small gradients, later the stash.
  unsigned char main[kMainBytes];
  // Drawn boards; dead when the stash, which begins in `main`, runs into them.
  alignas(16) std::byte boards[kSmall ? 16384 : 22528];
  alignas(16) std::byte kept_boards[kKept * (kSmall ? 56 : 136)];
  alignas(16) __half delta[kKept][kHiddenStride];  // scaled gradient of H
  uint4 conv[ConvShape<kSmall>::kSteps][32], conv_target[ConvShape<kSmall>::kSteps][32];
  float conv_values[kMaxConv];
  float head[kMaxActions][kUnits], head_target[kMaxActions][kUnits];
  float bias[kUnits], bias_target[kUnits];
  float head_bias[8], head_bias_target[8];
  float q[3][kFp16Rows][kMaxActions];  // online at s, online at s', target at s'
  std::uint64_t full[kStages], empty[kStages], slot[kWarps][kSlots];

  __device__ __half* hidden() { return reinterpret_cast<__half*>(main + kRingBytes); }

  __device__ float* partials() {
    return reinterpret_cast<float*>(main + kRingBytes + kFp16Rows * kHiddenStride * sizeof(__half));
  }

  __device__ uint4* stash(int warp) {
    return reinterpret_cast<uint4*>(main + kRingBytes + warp * kStashBytes);
  }
};

static_assert(kStages * kStageBytes <= kMainBytes);
static_assert(kRingBytes + kFp16Rows * kHiddenStride * 2 + 4 * kPartials * kUnits * 4 <=
              kMainBytes);
static_assert(kRingBytes + kWarps * kStashBytes <= kMainBytes + 16384);
static_assert(offsetof(Fp16Room<true>, boards) == kMainBytes);
static_assert(offsetof(Fp16Room<false>, boards) == kMainBytes);

template <bool kSmall>
struct Fp16Memory {
  Fp16Room<kSmall> room;
  Shared shared;
};

static_assert(sizeof(Fp16Memory<true>) <= 232448 && sizeof(Fp16Memory<false>) <= 232448);

// The block's shared memory. Asked for by name wherever it is used: through a reference that was
// handed on, the compiler would no longer know that it is shared, and reach it more slowly.
template <bool kSmall>
__device__ __forceinline__ Fp16Memory<kSmall>& fp16_memory() {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  return *reinterpret_cast<Fp16Memory<kSmall>*>(shared_memory);
}

// Distance of boards in shared memory: eight neighbours must fall on different banks.
__host__ __device__ inline int board_stride(const AgentSpec& spec) {
  return spec.obs_bytes == 128 ? 136 : spec.obs_bytes;
}

// The packed layer in the device's memory.
struct PackedView {
  uint4* high;
  uint4* target;
  std::byte* rest;
};

}  // namespace tarl::fleet
