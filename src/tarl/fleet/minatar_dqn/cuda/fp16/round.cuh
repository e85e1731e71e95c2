// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"
#include "tarl/fleet/minatar_dqn/fp16_layout.h"

// How the forward pass divides its work. The plan depends on the agent's settings only, so it is
// computed once per slice: code executed in every step competes for the instruction cache.
namespace tarl::fleet {

// The ring buffer through which the forward pass reads weights, in chunks of four positions. It
// advances by stages; a stage has one chunk per part.
inline constexpr int kRingChunks = 8;
inline constexpr int kMaxParts = 4;  // per stage

// Kinds of jobs: 64 boards through one network. The first three also index q.
enum class Fp16Job : std::int32_t { kOnline, kOnlineNext, kTargetNext, kAct };

// A warp's share of a round.
struct alignas(16) Fp16Share {
  Fp16Job job;
  std::int32_t part;
  std::int32_t row0;  // first candidate
};

// The weights of one part of the stages, and their L2 cache hint.
struct WeightStream {
  const uint4* from;
  std::uint64_t hint;
};

// A pass over one or both networks.
struct Fp16Round {
  std::int32_t online, target;  // which networks
  std::int32_t split;           // two warpgroups share each job, with half of the positions each
  std::int32_t parts, stages;
  std::int32_t depth;  // stages in the ring
  std::int32_t first_chunk[kMaxParts];
  WeightStream streams[kMaxParts];
  Fp16Share shares[kWarps];
};

}  // namespace tarl::fleet
