// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"
#include "tarl/fleet/minatar_dqn/fp16_layout.h"

// How the forward pass shares its work out. It depends on the agent's settings alone, so it is
// worked out when a slice begins: every instruction of a step costs time to fetch.
namespace tarl::fleet {

// The ring through which the forward pass reads chunks of four places. It moves on by stages, a
// chunk for each part of a stage.
inline constexpr int kRingChunks = 8;
inline constexpr int kMaxParts = 4;  // of a stage

// Kinds of jobs: 64 boards through a network; the first three are also the kinds of q.
enum class Fp16Job : std::int32_t { kOnline, kOnlineNext, kTargetNext, kAct };

// A warp's share of a round.
struct alignas(16) Fp16Share {
  Fp16Job job;
  std::int32_t part;
  std::int32_t row0;  // first candidate
};

// Weights that a part of the stages comes from, and how the cache is to treat them.
struct WeightStream {
  const uint4* from;
  std::uint64_t hint;
};

// A pass over one network or both.
struct Fp16Round {
  std::int32_t online, target;  // which ones
  std::int32_t split;           // two warpgroups share a job, each with half of the places
  std::int32_t parts, stages;
  std::int32_t depth;  // stages that the ring holds
  std::int32_t first_chunk[kMaxParts];
  WeightStream streams[kMaxParts];
  Fp16Share shares[kWarps];
};

}  // namespace tarl::fleet
