// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/replay/reaper_update.cuh"
#include "tarl/fleet/cuda/replay/storage.cuh"
#include "tarl/replay/alignment_weight.h"
#include "tarl/replay/draw.h"

// Which transitions an update draws: the rules of replay::UniformReplay and PrioritizedReplay.
namespace tarl::fleet {

// One warp: sets the priority of a new transition. PER knows it before the step is played; ReaPER
// does not, since it depends on whether the step ends the episode.
static __device__ __noinline__ void add_priority(const AgentSpec& spec, const AgentView& view,
                                                 AgentState& state, std::int64_t transition,
                                                 bool ends) {
  if (spec.replay == ReplayKind::kReaper) {
    Reaper{spec, view, state, transition + 1}.add(ends);
  } else if (spec.replay != ReplayKind::kUniform) {
    const std::int64_t slot = remainder_of(transition, spec.capacity);
    if (spec.replay == ReplayKind::kPer && lane_id() == 0) {
      ptx::global(view.priority)[slot] = state.max_priority;
    }
    view.tree.set(static_cast<std::int32_t>(slot), state.new_weight);
  }
}

// Thread `me` of `threads` fills its share of s.index and s.raw_weight for rows [first, end).
__device__ inline void draw_uniform(const AgentSpec& spec, Shared& s, std::int64_t stored,
                                    int first, int end, int me, int threads) {
  const auto size = static_cast<std::uint32_t>(filled(spec, stored));
  const Rng stream = s.state.sample;
  for (int row = first + me; row < end; row += threads) {
    Rng mine{stream.key, stream.counter + static_cast<std::uint64_t>(row)};
    s.index[row] = static_cast<std::int32_t>(mine.below(size));
    s.raw_weight[row] = 1.0F;
  }
  if (first + me == 0) {
    s.next_sample = {stream.key, stream.counter + static_cast<std::uint64_t>(spec.candidates)};
  }
}

// The block fills s.index and s.raw_weight: the slots, out of `size`, that the masses in s.score
// fall into.
__device__ inline void find_rows(const AgentSpec& spec, const AgentView& view, Shared& s,
                                 std::int64_t size, double total, double beta) {
  const int rows = spec.candidates;
  for (int first = 0; first < rows; first += kSubwarps) {
    const int at = first + subwarp_id();
    SumLevels::Found found = view.tree.find(at < rows ? s.score[at] : 0.0);
    if (spec.replay == ReplayKind::kReaper) find_in_groups(spec, view, s.state, found);
    if (at < rows && subwarp_lane() == 0) {
      const double probability = found.weight / total;
      s.index[at] = found.leaf;
      s.raw_weight[at] = static_cast<float>(replay::importance_weight(size, probability, beta));
    }
  }
  __syncthreads();
}

// The block fills s.index and s.raw_weight from the first `stored` transitions and leaves the
// advanced stream in s.next_sample. `progress` is the completed fraction of the run.
static __device__ __noinline__ void draw(const AgentSpec& spec, const AgentView& view, Shared& s,
                                         std::int64_t stored, double progress) {
  if (spec.replay == ReplayKind::kUniform) {
    draw_uniform(spec, s, stored, 0, spec.candidates, thread_id(), kThreads);
    __syncthreads();
    return;
  }
  const std::int64_t size = filled(spec, stored);
  const Rng stream = s.state.sample;
  const int rows = spec.candidates, row = thread_id();
  const int swaps = spec.draw == replay::Draw::kStratified ? rows - 1 : 0;
  const double total = view.tree.total();
  double mass = 0;
  if (row < rows) {
    Rng mine{stream.key, stream.counter + static_cast<std::uint64_t>(row)};
    const double u = mine.uniform();
    mass = replay::drawn_mass(spec.draw, row, rows, u, total);
    // Fisher-Yates shuffle of the strata, from the last down: position rows - 1 - row swaps with
    // this one.
    Rng swap{stream.key, stream.counter + static_cast<std::uint64_t>(rows + row)};
    s.kept[row] = static_cast<std::int32_t>(swap.below(static_cast<std::uint32_t>(rows - row)));
  }
  if (row == 0) {
    s.next_sample = {stream.key, stream.counter + static_cast<std::uint64_t>(rows + swaps)};
  }
  __syncthreads();
  if (row < rows) {
    // Each thread follows its own mass through the swaps.
    int place = row;
#pragma unroll 8
    for (int i = 0; i < swaps; ++i) {
      const int from = rows - 1 - i, to = s.kept[i];
      place = place == from ? to : place == to ? from : place;
    }
    s.score[place] = mass;
  }
  __syncthreads();
  find_rows(spec, view, s, size, total, replay::annealed_beta(spec.beta, progress));
}

static __device__ __noinline__ void update_per(const AgentSpec& spec, const AgentView& view,
                                               Shared& s) {
  double largest = 0;
  for (int row = thread_id(); row < spec.candidates; row += kThreads) {
    const double error = fabs(static_cast<double>(fabsf(s.y_offline[row] - s.q[row])));
    const double p = error + spec.priority_eps;
    ptx::global(view.priority)[s.index[row]] = p;
    view.tree.values(0)[s.index[row]] = pow(p, spec.priority_alpha);
    largest = p;
  }
  view.tree.add_up(s.index, spec.candidates);
  largest = block_max(largest, s.scratch);
  if (thread_id() == 0) {
    s.state.max_priority = largest > s.state.max_priority ? largest : s.state.max_priority;
    s.state.new_weight = pow(s.state.max_priority, spec.priority_alpha);
  }
  __syncthreads();
}

// Of rows that drew the same transition the last one counts, as on the CPU: scores of other rules
// than the paper's can differ between them.
static __device__ __noinline__ void update_alignment(const AgentSpec& spec, const AgentView& view,
                                                     Shared& s) {
  for (int row = thread_id(); row < spec.candidates; row += kThreads) {
    bool last = true;
    for (int j = row + 1; j < spec.candidates; ++j) last &= s.index[j] != s.index[row];
    if (!last) continue;
    view.tree.values(0)[s.index[row]] = replay::alignment_weight(
        static_cast<float>(s.score[row]), spec.priority_eps, spec.priority_alpha);
  }
  view.tree.add_up(s.index, spec.candidates);
}

// The block, after a hard sync of the target: both targets agree, so every score is 1.
static __device__ __noinline__ void reset_alignment(const AgentSpec& spec, const AgentView& view,
                                                    const AgentState& state) {
  const auto size = static_cast<std::int32_t>(filled(spec, state.stored));
  for (std::int32_t slot = thread_id(); slot < size; slot += kThreads) {
    view.tree.put(0, slot, state.new_weight);
  }
  for (int l = 0; l + 1 < view.tree.levels; ++l) {
    __syncthreads();
    view.tree.add_up_level(l);
  }
  __syncthreads();
}

// The block starts loading what update_priorities() needs, into the same `scratch`.
__device__ inline void prefetch_priorities(const AgentSpec& spec, const AgentView& view, Shared& s,
                                           void* scratch) {
  if (spec.replay != ReplayKind::kReaper) return;
  prefetch_reaper(spec, view, s, *static_cast<ReaperChanges*>(scratch));
}

// The block sets the priorities of all drawn transitions from their new |offline errors| or scores.
// `scratch` is free memory of at least sizeof(ReaperChanges).
__device__ inline void update_priorities(const AgentSpec& spec, const AgentView& view, Shared& s,
                                         void* scratch) {
  if (spec.replay == ReplayKind::kPer) update_per(spec, view, s);
  if (spec.replay == ReplayKind::kAlignment) update_alignment(spec, view, s);
  if (spec.replay == ReplayKind::kReaper) {
    update_reaper(spec, view, s, *static_cast<ReaperChanges*>(scratch));
  }
}

}  // namespace tarl::fleet
