// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/optimizer_math.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/nn/clip_scale.h"

// nn::Optimizer on one thread block, operation by operation.
namespace tarl::fleet {

using nn::clip_scale;

__device__ inline AdamSizes adam_sizes(const OptimizerPlan& plan, std::int64_t steps) {
  if (plan.adam == 0) return {};
  const auto t = static_cast<double>(steps + 1);
  return {static_cast<float>(plan.learning_rate / (1.0 - pow(plan.beta1, t))),
          static_cast<float>(1.0 / sqrt(1.0 - pow(plan.beta2, t)))};
}

// Four neighbouring parameters with their gradients and moments.
struct TrainedFour {
  alignas(16) float gradient[4], value[4], first[4], second[4];

  __device__ static void load(const float* from, int group, float (&to)[4]) {
    *reinterpret_cast<float4*>(to) = reinterpret_cast<const float4*>(from)[group];
  }

  __device__ static void store(const float (&from)[4], int group, float* to) {
    reinterpret_cast<float4*>(to)[group] = *reinterpret_cast<const float4*>(from);
  }

  template <class Math>
  __device__ TrainedFour moved(const OptimizerPlan& plan, const AdamSizes& sizes, float scale,
                               Math& math) const {
    TrainedFour to;
    const auto move_each = [&](auto move) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        Trained w{value[k], first[k], second[k]};
        move(scale * gradient[k], w);
        to.value[k] = w.value, to.first[k] = w.first, to.second[k] = w.second;
      }
    };
    if (plan.adam != 0) {
      move_each([&](float g, Trained& w) { adam(plan, sizes, g, w, math); });
    } else if (plan.centered != 0) {
      move_each([&](float g, Trained& w) { rmsprop<true>(plan, g, w, math); });
    } else {
      move_each([&](float g, Trained& w) { rmsprop<false>(plan, g, w, math); });
    }
    return to;
  }
};

// Clips and applies view.grads. `squares` is this thread's share of their squared norm. If the norm
// is non-finite, returns false and changes nothing.
__device__ inline bool apply_gradients(const AgentSpec& spec, const AgentView& view, Shared& s,
                                       double squares) {
  const double norm = sqrt(block_sum(squares, s.scratch));
  if (thread_id() == 0) s.grad_norm = norm;
  if (!isfinite(norm)) return false;
  const float scale = clip_scale(norm, spec.max_grad_norm);
  const AdamSizes sizes = adam_sizes(spec.optimizer, s.state.optimizer_steps);
  const bool two = spec.optimizer.adam != 0 || spec.optimizer.centered != 0;
  // Zeros, which stay zero, pad the parameters to a multiple of four. Double buffering: a thread
  // loads its next groups before it updates the current ones.
  constexpr int kAtOnce = 2, kApart = kAtOnce * kThreads;
  const int groups = (spec.net.size + 3) / 4;
  float *value = ptx::global(view.values), *first = ptx::global(view.moment[0]);
  float* second = ptx::global(view.moment[1]);
  TrainedFour now[kAtOnce], next[kAtOnce] = {};
  const auto ask = [&](int begin) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int i = begin + k * kThreads;
      if (i >= groups) break;
      TrainedFour::load(ptx::global(view.grads), i, next[k].gradient);
      TrainedFour::load(value, i, next[k].value);
      TrainedFour::load(first, i, next[k].first);
      if (two) TrainedFour::load(second, i, next[k].second);
    }
  };
  ask(thread_id());
#pragma unroll 1
  for (int begin = thread_id(); begin < groups; begin += kApart) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) now[k] = next[k];
    ask(begin + kApart);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int i = begin + k * kThreads;
      if (i >= groups) break;
      QuickMath quick;
      TrainedFour moved = now[k].moved(spec.optimizer, sizes, scale, quick);
      if (!quick.usual) {
        ExactMath exact;
        moved = now[k].moved(spec.optimizer, sizes, scale, exact);
      }
      TrainedFour::store(moved.value, i, value);
      TrainedFour::store(moved.first, i, first);
      if (two) TrainedFour::store(moved.second, i, second);
    }
  }
  __syncthreads();
  return true;
}

}  // namespace tarl::fleet
