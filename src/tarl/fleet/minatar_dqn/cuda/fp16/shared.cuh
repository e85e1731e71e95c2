// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/can_run.h"
#include "tarl/fleet/minatar_dqn/cuda/fp16/conv.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/round.cuh"

// The fp16 kernel's shared memory in addition to Shared.
namespace tarl::fleet {

inline constexpr float kMostFp16 = 65504.0F;  // the largest finite value

inline constexpr int kGroups = kWarps / 4;

// A slot of a warp's ring in the backward pass: low bits and moments of a tile, then its fp16
// values.
inline constexpr int kSlotBytes = kRestBytes + kHighBytes;

// Layout of the small parameters' gradients: per unit, the weights of six actions, then its bias;
// finally the biases of the actions.
inline constexpr int kUnitPartials = (kMaxActions + 1) * kUnits;
inline constexpr int kPartials = kUnitPartials + 8;

// The parameters in the same layout.
struct alignas(16) SmallValues {
  float flat[kPartials];

  __device__ const float* head(int action) const { return flat + action * kUnits; }

  __device__ const float* bias() const { return flat + kMaxActions * kUnits; }

  __device__ const float* head_bias() const { return flat + kUnitPartials; }
};

// Layout of the gradients of H in operand order: matrices of 8 boards by 8 units, padded against
// bank conflicts on writing.
inline constexpr int kDeltaMatrix = 144;  // bytes; units are contiguous
inline constexpr int kDeltaRow = kUnits / 8 * kDeltaMatrix;

// XOR swizzle of a unit within a row of sums or of H, so that neighbouring rows start in different
// banks.
__device__ inline int turned(int row, int unit) {
  return unit ^ (row % 8 * 8);
}

// What a thread looks up in every stage of the forward pass, to spare registers: two boards and the
// conv weights, as offsets; the first chunk; whether its warp has rows.
struct alignas(16) LaneState {
  std::uint32_t board0, board8;
  std::uint32_t conv;
  std::uint16_t first_chunk, works;
};

// kSmall: a game with four channels. kKept: rows per update, 32 or 64.
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

  // Overlaid in time. Forward: the ring, then partial sums of H. Acting: features and partial sums.
  // Between the passes: H and partial sums of the small gradients. Backward: in addition the warps'
  // rings, then sums of the conv gradient.
  unsigned char main[kMainBytes];
  alignas(16) std::byte boards[kSmall ? 16384 : 22528];  // of the drawn rows
  alignas(16) std::byte kept_boards[kKept * (kSmall ? 56 : 136)];
  alignas(16) std::byte delta[kKept / 8 * kDeltaRow];  // scaled gradients of H
  ConvTable<kSmall> conv, conv_target;
  float conv_values[ConvShape<kSmall>::kElements];
  SmallValues online, target;

  // Q of the candidates: online at s, online at s', target at s'. During the update: moments of the
  // small parameters.
  union {
    float q[3][kFp16Rows][kMaxActions];
    float small_moments[kPartials + ConvShape<kSmall>::kElements];
  };

  float big_square;  // this block's share of the squared norm of the big layer's gradient
  std::uint64_t full[kRingChunks], empty[kRingChunks];
  Fp16Round rounds[2];  // the target network's own round, if any; then the online network's or the
                        // joint round
  // Phase bits of these barriers, as each warp counts them. Stored here between the passes to spare
  // registers.
  std::uint32_t ring_phases[kWarps];

  // Forward pass only, before there are gradients.
  __device__ LaneState* lane_state() { return reinterpret_cast<LaneState*>(delta); }

  // Features of the board to act on, [position][t] of maps 2t, 2t + 1, 8 + 2t and 8 + 2t + 1.
  // Overlays the LaneState of the last warpgroup, which acts and needs none.
  __device__ uint2* act_features() {
    return reinterpret_cast<uint2*>(lane_state() + kThreads / kGroups * (kGroups - 1));
  }

  __device__ unsigned char* chunk(int i) { return main + i * kChunkBytes; }

  // A warpgroup's sums of H: [64][kUnits], swizzled by turned().
  __device__ float* group_sums(int group) {
    return reinterpret_cast<float*>(main) + group * 64 * kUnits;
  }

  // H of a row of s, also swizzled; replaces the row's sums.
  __device__ __half* hidden(int row) {
    return reinterpret_cast<__half*>(group_sums(0) + row * kUnits);
  }

  // Located after H and after the warps' rings: [quarter of the rows][kPartials].
  __device__ float* partials() { return reinterpret_cast<float*>(main + kWarps * kWarpRing); }

  // A warp's sums of the conv gradient; replaces its ring.
  __device__ float* conv_sums(int warp) {
    return reinterpret_cast<float*>(main + warp * kWarpRing);
  }

  // This block's totals, which other blocks may still be reading while it continues.
  __device__ float* conv_totals() { return partials() + 4 * kPartials; }

  // The conv weights in the order conv_columns() reads them, during the backward pass.
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

inline constexpr std::size_t kMostShared = 232448;  // limit per block

static_assert(sizeof(Fp16Memory<true, 32>) <= kMostShared);
static_assert(sizeof(Fp16Memory<true, 64>) <= kMostShared);
static_assert(sizeof(Fp16Memory<false, 64>) <= kMostShared);

// The block's shared memory. Always accessed by name: through a reference passed as an argument the
// compiler loses the address space and emits slower generic accesses.
template <bool kSmall, int kKept>
__device__ __forceinline__ Fp16Memory<kSmall, kKept>& fp16_memory() {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  return *reinterpret_cast<Fp16Memory<kSmall, kKept>*>(shared_memory);
}

// Barrier of all threads of all blocks that share the agent.
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

// Sums the value at the same address in all blocks of the agent, in rank order. All loads are
// issued before the first is used.
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

// The chunks of the big layer that this block owns.
struct ChunkRange {
  int first, count;

  __device__ static ChunkRange of(const AgentSpec& spec) {
    const int count = kChunks >> (__ffs(spec.blocks) - 1);  // a power of two blocks
    return {ptx::cluster_rank() * count, count};
  }
};

// Bytes between boards in shared memory: eight consecutive boards must map to different banks.
__host__ __device__ inline int board_stride(const AgentSpec& spec) {
  return spec.obs_bytes == 128 ? 136 : spec.obs_bytes;
}

// The packed big layer in global memory.
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
