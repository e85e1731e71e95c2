// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/can_run.h"
#include "tarl/fleet/minatar_dqn/cuda/fp16/conv.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/round.cuh"

// What the fp16 kernel keeps in shared memory beside Shared.
namespace tarl::fleet {

inline constexpr float kMostFp16 = 65504.0F;  // its largest value

inline constexpr int kGroups = kWarps / 4;

// A slot of a warp's ring in the pass backward: low bits and moments of a tile, then its fp16s.
inline constexpr int kSlotBytes = kRestBytes + kHighBytes;

// Gradients of small parameters: of six actions' weights and of the bias for each unit, then of the
// actions' biases.
inline constexpr int kUnitPartials = (kMaxActions + 1) * kUnits;
inline constexpr int kPartials = kUnitPartials + 8;

// The parameters themselves, in the same order.
struct alignas(16) SmallValues {
  float flat[kPartials];

  __device__ const float* head(int action) const { return flat + action * kUnits; }

  __device__ const float* bias() const { return flat + kMaxActions * kUnits; }

  __device__ const float* head_bias() const { return flat + kUnitPartials; }
};

// Gradients of H as the products read them: matrices of 8 boards times 8 units, a little apart so
// that writing them meets all banks.
inline constexpr int kDeltaMatrix = 144;  // bytes, units along
inline constexpr int kDeltaRow = kUnits / 8 * kDeltaMatrix;

// Where a unit lies within a row of sums or of H: neighbouring rows begin in different banks.
__device__ inline int turned(int row, int unit) {
  return unit ^ (row % 8 * 8);
}

// What a thread looks up in every stage of the forward pass, as its registers are full: two boards
// and weights of the convolution, as offsets, the chunk it begins with and whether its warp has
// rows.
struct alignas(16) LaneState {
  std::uint32_t board0, board8;
  std::uint32_t conv;
  std::uint16_t first_chunk, works;
};

// kSmall: a game of four channels. kKept: rows an update learns from, 32 or 64.
template <bool kSmall, int kKept>
struct alignas(128) Fp16Shared {
  // As many slots as fit.
  static constexpr int kSlots = kSmall && kKept == 32 ? 4 : 3;
  static constexpr int kWarpRing = kSlots * kSlotBytes;
  static constexpr int kForwardBytes = kRingChunks * kChunkBytes;
  static constexpr int kBackwardBytes = kWarps * kWarpRing +
                                        (4 * kPartials + ConvShape<kSmall>::kElements) * 4 +
                                        static_cast<int>(sizeof(ConvWeights<kSmall>)) * 32;
  static constexpr int kMainBytes = kForwardBytes > kBackwardBytes ? kForwardBytes : kBackwardBytes;

  // Forward: the ring, then partial sums of H. Acting: features and partial sums. Between: H and
  // partial sums of small gradients. Backward: beside these the rings of the warps, then sums of
  // the conv gradient.
  unsigned char main[kMainBytes];
  alignas(16) std::byte boards[kSmall ? 16384 : 22528];  // drawn
  alignas(16) std::byte kept_boards[kKept * (kSmall ? 56 : 136)];
  alignas(16) std::byte delta[kKept / 8 * kDeltaRow];  // scaled gradient of H
  ConvTable<kSmall> conv, conv_target;
  float conv_values[ConvShape<kSmall>::kElements];
  SmallValues online, target;

  // Of the candidates: online at s, online at s', target at s'. Moments of small parameters while
  // parameters move.
  union {
    float q[3][kFp16Rows][kMaxActions];
    float small_moments[kPartials + ConvShape<kSmall>::kElements];
  };

  float big_square;  // the block's share of the squared norm of the big layer's gradient
  std::uint64_t full[kRingChunks], empty[kRingChunks];
  Fp16Round rounds[2];  // the target network by itself, where it is; then the other one or both
  // Phases of these barriers as each warp counts them, a bit each. Kept here between the passes: in
  // registers they would have to survive everything else.
  std::uint32_t ring_phases[kWarps];

  // Forward, while there are no gradients.
  __device__ LaneState* lane_state() { return reinterpret_cast<LaneState*>(delta); }

  // Features of the board to act on, [place][t] of maps 2t and 8 + 2t, two each: in the place of
  // what the threads of the last warpgroup, which acts, would look up.
  __device__ uint2* act_features() {
    return reinterpret_cast<uint2*>(lane_state() + kThreads / kGroups * (kGroups - 1));
  }

  __device__ unsigned char* chunk(int i) { return main + i * kChunkBytes; }

  // A warpgroup's sums of H: [64][kUnits], turned() within rows.
  __device__ float* group_sums(int group) {
    return reinterpret_cast<float*>(main) + group * 64 * kUnits;
  }

  // H of a row of s, turned() likewise, in the place of its sums.
  __device__ __half* hidden(int row) {
    return reinterpret_cast<__half*>(group_sums(0) + row * kUnits);
  }

  // Beside H and behind the rings of the warps: [quarter of the rows][kPartials].
  __device__ float* partials() { return reinterpret_cast<float*>(main + kWarps * kWarpRing); }

  // A warp's sums of the conv gradient, in the place of its ring.
  __device__ float* conv_sums(int warp) {
    return reinterpret_cast<float*>(main + warp * kWarpRing);
  }

  // The block's, which others still read while it goes on.
  __device__ float* conv_totals() { return partials() + 4 * kPartials; }

  // Weights of the convolution as conv_columns() reads them, during the pass backward.
  __device__ uint4* conv_columns() {
    return reinterpret_cast<uint4*>(conv_totals() + ConvShape<kSmall>::kElements);
  }
};

static_assert(ConvShape<false>::kElements * 4 <= Fp16Shared<false, 64>::kWarpRing);
static_assert(3 * 64 * kUnits * 4 <= kWarps * Fp16Shared<false, 64>::kWarpRing);
static_assert(kThreads * sizeof(LaneState) <= 32 / 8 * kDeltaRow);
static_assert(kPositions * 4 * sizeof(uint2) <= kThreads / kGroups * sizeof(LaneState));
static_assert(kGroups * 64 * kUnits * 4 <= Fp16Shared<false, 64>::kForwardBytes);

template <bool kSmall, int kKept>
struct Fp16Memory {
  Fp16Shared<kSmall, kKept> smem;
  Shared shared;
};

inline constexpr std::size_t kMostShared = 232448;  // bytes a block may have

static_assert(sizeof(Fp16Memory<true, 32>) <= kMostShared);
static_assert(sizeof(Fp16Memory<true, 64>) <= kMostShared);
static_assert(sizeof(Fp16Memory<false, 64>) <= kMostShared);

// The block's shared memory. Asked for by name wherever it is used: through a reference that was
// handed on, the compiler would no longer know that it is shared, and reach it more slowly.
template <bool kSmall, int kKept>
__device__ __forceinline__ Fp16Memory<kSmall, kKept>& fp16_memory() {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  return *reinterpret_cast<Fp16Memory<kSmall, kKept>*>(shared_memory);
}

// All threads of all blocks that share the agent.
__device__ inline void meet(const AgentSpec& spec) {
  if (spec.blocks > 1) {
    ptx::cluster_sync();
  } else {
    __syncthreads();
  }
}

__device__ inline float4 plus(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ inline float4 relu(float4 a) {
  return make_float4(fmaxf(a.x, 0.0F), fmaxf(a.y, 0.0F), fmaxf(a.z, 0.0F), fmaxf(a.w, 0.0F));
}

__device__ inline float plus(float a, float b) {
  return a + b;
}

// Of the same place in all blocks that share the agent, in their order. Nobody waits for one before
// asking for the next.
template <class T>
__device__ inline T sum_over_blocks(const T* at, int blocks) {
  T part[kMaxBlocks] = {};
#pragma unroll
  for (int block = 0; block < kMaxBlocks; ++block) {
    if (block < blocks) part[block] = ptx::load_from(at, block);
  }
  T total = part[0];
#pragma unroll
  for (int block = 1; block < kMaxBlocks; ++block) {
    if (block < blocks) total = plus(total, part[block]);
  }
  return total;
}

// The chunks of the big layer that this block has.
struct ChunkRange {
  int first, count;

  __device__ static ChunkRange of(const AgentSpec& spec) {
    const int count = kChunks >> (__ffs(spec.blocks) - 1);  // blocks are a power of two
    return {ptx::cluster_rank() * count, count};
  }
};

// Distance of boards in shared memory: eight neighbours must fall on different banks.
__host__ __device__ inline int board_stride(const AgentSpec& spec) {
  return spec.obs_bytes == 128 ? 136 : spec.obs_bytes;
}

// The packed layer in the device's memory.
struct PackedView {
  uint4* high;
  uint4* target;
  std::byte* rest;

  __device__ static PackedView of(const AgentView& view) {
    std::byte* base = ptx::global(view.packed);
    return {reinterpret_cast<uint4*>(base),
            reinterpret_cast<uint4*>(base + kPackedTiles * kHighBytes),
            base + 2 * kPackedTiles * kHighBytes};
  }
};

}  // namespace tarl::fleet
