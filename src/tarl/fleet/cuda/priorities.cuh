// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/reaper_update.cuh"
#include "tarl/fleet/cuda/storage.cuh"

// Which transitions an update draws: the rules of replay::UniformReplay and PrioritizedReplay.
namespace tarl::fleet {

// One warp, after a transition was stored in `slot`.
static __device__ __noinline__ void add_priority(const AgentSpec& spec, const AgentView& view,
                                                 AgentHead& head, std::int64_t slot) {
  if (spec.replay == ReplayKind::kPer) {
    if (lane_id() == 0) view.priority[slot] = head.max_priority;
    view.tree.set(slot, head.new_weight);
  } else if (spec.replay == ReplayKind::kReaper) {
    Reaper{spec, view, head}.add(slot, head.terminal != 0);
  }
}

// The block fills s.index and s.raw_weight. `progress` is the share of the run done.
static __device__ __noinline__ void draw(const AgentSpec& spec, const AgentView& view, Shared& s,
                                         double progress) {
  const std::int64_t size = filled(spec, s.head);
  const Rng stream = s.head.sample;
  const int rows = spec.candidates;
  __syncthreads();
  if (spec.replay == ReplayKind::kUniform) {
    for (int row = thread_id(); row < rows; row += kThreads) {
      Rng mine{stream.key, stream.counter + static_cast<std::uint64_t>(row)};
      s.index[row] = mine.below(static_cast<std::uint32_t>(size));
      s.raw_weight[row] = 1.0F;
    }
    if (thread_id() == 0) s.head.sample.counter += static_cast<std::uint64_t>(rows);
    __syncthreads();
    return;
  }
  const double total = view.tree.total();
  for (int row = thread_id(); row < rows; row += kThreads) {
    Rng mine{stream.key, stream.counter + static_cast<std::uint64_t>(row)};
    const double u = mine.uniform();
    s.score[row] = spec.stratified != 0 ? (row + u) / rows * total : u * total;
  }
  __syncthreads();
  if (thread_id() == 0) {
    s.head.sample.counter += static_cast<std::uint64_t>(rows);
    for (int left = rows; spec.stratified != 0 && left > 1; --left) {
      const std::uint32_t other = s.head.sample.below(static_cast<std::uint32_t>(left));
      const double mass = s.score[left - 1];
      s.score[left - 1] = s.score[other];
      s.score[other] = mass;
    }
  }
  __syncthreads();
  const double share = progress < 0 ? 0 : progress > 1 ? 1 : progress;
  const double beta = spec.beta + (1.0 - spec.beta) * share;
  for (int row = warp_id(); row < rows; row += kWarps) {
    std::int64_t slot = 0;
    double weight = 0;
    if (spec.replay == ReplayKind::kPer) {
      slot = view.tree.find(s.score[row]).leaf;
      weight = view.tree.level[0][slot];
    } else {
      const Reaper::Found found = Reaper{spec, view, s.head}.find(s.score[row]);
      slot = found.slot;
      weight = found.weight;
    }
    __syncwarp();  // every lane has read the mass
    if (lane_id() == 0) {
      s.index[row] = slot;
      s.score[row] = weight;
    }
  }
  __syncthreads();
  for (int row = thread_id(); row < rows; row += kThreads) {
    const double probability = s.score[row] / total;
    s.raw_weight[row] = static_cast<float>(pow(static_cast<double>(size) * probability, -beta));
  }
  __syncthreads();
}

static __device__ __noinline__ void update_per(const AgentSpec& spec, const AgentView& view,
                                               Shared& s) {
  double largest = 0;
  for (int row = thread_id(); row < spec.candidates; row += kThreads) {
    const double error = fabs(static_cast<double>(fabsf(s.y_offline[row] - s.q[row])));
    const double p = error + spec.priority_eps;
    view.priority[s.index[row]] = p;
    view.tree.level[0][s.index[row]] = pow(p, spec.priority_alpha);
    largest = p;
  }
  view.tree.add_up(s.index, spec.candidates);
  largest = block_max(largest, s.room);
  if (thread_id() == 0) {
    s.head.max_priority = largest > s.head.max_priority ? largest : s.head.max_priority;
    s.head.new_weight = pow(s.head.max_priority, spec.priority_alpha);
  }
  __syncthreads();
}

// The block: new |offline errors| of everything drawn. `room` is free memory for ReaPER.
__device__ inline void update_priorities(const AgentSpec& spec, const AgentView& view, Shared& s,
                                         void* room) {
  if (spec.replay == ReplayKind::kPer) update_per(spec, view, s);
  if (spec.replay == ReplayKind::kReaper) {
    update_reaper(spec, view, s, *static_cast<ReaperChanges*>(room));
  }
}

}  // namespace tarl::fleet
