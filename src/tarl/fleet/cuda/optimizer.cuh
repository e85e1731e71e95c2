// SPDX-License-Identifier: MIT
#pragma once

#include <cfloat>

#include "tarl/fleet/cuda/agent_view.cuh"

// nn::Optimizer for a block, operation by operation.
namespace tarl::fleet {

__device__ inline float flushed(float x) {
  return fabsf(x) < FLT_MIN ? 0.0F : x;
}

// What gradients of that norm are multiplied by.
__device__ inline float clip_scale(double norm, double max_norm) {
  if (max_norm <= 0) return 1.0F;
  const double scale = max_norm / (norm + 1e-6);
  return static_cast<float>(scale < 1.0 ? scale : 1.0);
}

struct AdamSizes {
  float step, root;
};

__device__ inline AdamSizes adam_sizes(const OptimizerPlan& plan, std::int64_t steps) {
  if (plan.adam == 0) return {};
  const auto t = static_cast<double>(steps + 1);
  return {static_cast<float>(plan.learning_rate / (1.0 - pow(plan.beta1, t))),
          static_cast<float>(1.0 / sqrt(1.0 - pow(plan.beta2, t)))};
}

// One parameter with its moments.
struct Trained {
  float value, first, second;
};

// sqrtf(x) and a / b. Zeros, of which there are many, would take the long way of odd numbers.
__device__ inline float root_of(float x) {
  const float root = sqrtf(x == 0 ? 1.0F : x);
  return x == 0 ? x : root;
}

__device__ inline float ratio_of(float a, float b) {
  const bool zero = a == 0 && b > 0;
  const float ratio = (zero ? 1.0F : a) / b;
  return zero ? a : ratio;
}

__device__ inline void rmsprop(const OptimizerPlan& plan, float g, Trained& w) {
  w.first = flushed(fmaf(plan.alpha, w.first, plan.one_minus_alpha * (g * g)));
  float spread = w.first;
  if (plan.centered != 0) {
    w.second = flushed(fmaf(plan.alpha, w.second, plan.one_minus_alpha * g));
    spread = fmaxf(fmaf(-w.second, w.second, w.first), 0.0F);
  }
  w.value = fmaf(-plan.rate, ratio_of(g, root_of(spread) + plan.eps), w.value);
}

__device__ inline void adam(const OptimizerPlan& plan, const AdamSizes& sizes, float g,
                            Trained& w) {
  w.first = flushed(fmaf(plan.adam_beta1, w.first, plan.one_minus_beta1 * g));
  w.second = flushed(fmaf(plan.adam_beta2, w.second, plan.one_minus_beta2 * (g * g)));
  const float divisor = fmaf(root_of(w.second), sizes.root, plan.eps);
  w.value = fmaf(-sizes.step, ratio_of(w.first, divisor), w.value);
}

// Four neighbouring parameters with their gradients and moments.
struct TrainedFour {
  float4 gradient, value, first, second;
};

// Clips and applies view.grads, given a thread's share of the sum of their squares. False, and
// nothing changed, when their norm is not finite.
__device__ inline bool apply_gradients(const AgentSpec& spec, const AgentView& view, Shared& s,
                                       double squares) {
  const double norm = sqrt(block_sum(squares, s.room));
  if (thread_id() == 0) s.grad_norm = norm;
  if (!isfinite(norm)) return false;
  const float scale = clip_scale(norm, spec.max_grad_norm);
  const AdamSizes sizes = adam_sizes(spec.optimizer, s.head.optimizer_steps);
  const bool two = spec.optimizer.adam != 0 || spec.optimizer.centered != 0;
  const auto move = [&](float g, float& value, float& first, float& second) {
    Trained w{value, first, second};
    if (spec.optimizer.adam != 0) {
      adam(spec.optimizer, sizes, scale * g, w);
    } else {
      rmsprop(spec.optimizer, scale * g, w);
    }
    value = w.value, first = w.first, second = w.second;
  };
  // Parameters are padded to whole groups of four by zeros that stay zero. A thread asks for its
  // next groups before it moves these.
  constexpr int kAtOnce = 2, kApart = kAtOnce * kThreads;
  const int groups = (spec.net.size + 3) / 4;
  const auto* gradient = reinterpret_cast<const float4*>(ptx::global(view.grads));
  auto* value = reinterpret_cast<float4*>(ptx::global(view.values));
  auto* first = reinterpret_cast<float4*>(ptx::global(view.moment[0]));
  auto* second = reinterpret_cast<float4*>(ptx::global(view.moment[1]));
  TrainedFour now[kAtOnce] = {}, next[kAtOnce] = {};
  const auto ask = [&](int begin) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int i = begin + k * kThreads;
      if (i >= groups) break;
      next[k].gradient = gradient[i];
      next[k].value = value[i];
      next[k].first = first[i];
      if (two) next[k].second = second[i];
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
      TrainedFour& w = now[k];
      move(w.gradient.x, w.value.x, w.first.x, w.second.x);
      move(w.gradient.y, w.value.y, w.first.y, w.second.y);
      move(w.gradient.z, w.value.z, w.first.z, w.second.z);
      move(w.gradient.w, w.value.w, w.first.w, w.second.w);
      value[i] = w.value;
      first[i] = w.first;
      if (two) second[i] = w.second;
    }
  }
  __syncthreads();
  return true;
}

}  // namespace tarl::fleet
