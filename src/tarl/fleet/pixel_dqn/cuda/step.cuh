// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/optimizer_math.cuh"
#include "tarl/fleet/cuda/waves/target.cuh"
#include "tarl/fleet/pixel_dqn/cuda/frames.cuh"
#include "tarl/nn/clip_scale.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/optimizer.h"

// The gradient's norm, the optimiser's step, and the target's.
namespace tarl::fleet::pixel_dqn {

inline constexpr int kChunkThreads = 4 * nn::kLanes;  // for one chunk of the norm
inline constexpr int kChunksOfBlock = kBlockThreads / kChunkThreads;

// Adds up gradients that were computed in parts.
__global__ void __launch_bounds__(kBlockThreads) add_parts(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0) return;
  each_number(place, numbers_in_parts(view), [&](int at) {
    int of = 0;
    while (at >= view.parts[of].count) at -= view.parts[of++].count;
    const Parts& parts = view.parts[of];
    float sum = 0;
    for (int part = 0; part < parts.parts; ++part) sum += parts.from[part * parts.count + at];
    parts.to[at] = sum;
  });
}

// As sum_squares of nn for each chunk: four sets of 16 lanes, added pairwise and folded.
__global__ void __launch_bounds__(kBlockThreads) square_chunks(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0) return;
  auto* room = reinterpret_cast<float*>(block_memory());
  const int me = thread_of_block(), lane = me % kChunkThreads;
  const int chunk = place.block * kChunksOfBlock + me / kChunkThreads;
  float sum = 0;
  if (chunk < view.chunks) {
    const int begin = chunk * nn::kNormChunk;
    const int count = view.size - begin < nn::kNormChunk ? view.size - begin : nn::kNormChunk;
    for (int i = lane; i < count; i += kChunkThreads) {
      const float g = view.grads[begin + i];
      sum = fmaf(g, g, sum);
    }
  }
  room[me] = sum;
  __syncthreads();
  const float* set = room + (me - lane) + lane % nn::kLanes;
  sum = (set[0] + set[nn::kLanes]) + (set[2 * nn::kLanes] + set[3 * nn::kLanes]);
  for (int half = nn::kLanes / 2; half > 0; half /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half);
  }
  if (lane == 0 && chunk < view.chunks) view.squares[chunk] = sum;
}

// As nn::norm_of(); also decides whether there is a step.
__global__ void __launch_bounds__(kBlockThreads) finish_norm(const Item* items) {
  const Place place = Place::of(items, 1);
  const AgentView& view = place.view;
  if (thread_of_block() != 0 || *view.stop != 0) return;
  double sum = 0;
  for (int i = 0; i < view.chunks; ++i) sum += static_cast<double>(view.squares[i]);
  const double norm = sqrt(sum);
  place.item.output->grad_norm = norm;
  *view.clip = nn::clip_scale(norm, view.max_grad_norm);
  const bool good = isfinite(norm) && isfinite(place.item.output->loss);
  place.item.output->stepped = good;
  if (!good) *view.stop = 1;
}

__global__ void __launch_bounds__(kBlockThreads)
    step_parameters(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0) return;
  OptimizerPlan plan = view.optimizer;
  plan.rate = place.item.rate;
  const bool two = plan.adam != 0 || plan.centered != 0;
  const float scale = *view.clip;
  ExactMath exact;
  each_number(place, view.size, [&](int at) {
    Trained w{view.values[at], view.first[at], two ? view.second[at] : 0.0F};
    const float g = scale * view.grads[at];
    if (plan.adam != 0) {
      adam(plan, place.item.adam, g, w, exact);
    } else if (plan.centered != 0) {
      rmsprop<true>(plan, g, w, exact);
    } else {
      rmsprop<false>(plan, g, w, exact);
    }
    view.stepped[at] = w.value;
    view.first[at] = w.first;
    if (two) view.second[at] = w.second;
  });
}

__global__ void __launch_bounds__(kBlockThreads) sync_target(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  if (place.item.syncs == 0) return;
  each_number(place, view.size, [&](int at) {
    float target = view.target[at];
    for (int i = 0; i < place.item.syncs; ++i) target = mixed(view.tau, view.values[at], target);
    view.target[at] = target;
  });
}

}  // namespace tarl::fleet::pixel_dqn
