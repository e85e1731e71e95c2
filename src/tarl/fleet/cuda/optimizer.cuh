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
  const auto t = static_cast<double>(steps + 1);
  return {static_cast<float>(plan.learning_rate / (1.0 - pow(plan.beta1, t))),
          static_cast<float>(1.0 / sqrt(1.0 - pow(plan.beta2, t)))};
}

// One parameter with its moments.
struct Trained {
  float value, first, second;
};

__device__ inline void rmsprop(const OptimizerPlan& plan, float g, Trained& w) {
  w.first = flushed(fmaf(plan.alpha, w.first, plan.one_minus_alpha * (g * g)));
  float spread = w.first;
  if (plan.centered != 0) {
    w.second = flushed(fmaf(plan.alpha, w.second, plan.one_minus_alpha * g));
    spread = fmaxf(fmaf(-w.second, w.second, w.first), 0.0F);
  }
  w.value = fmaf(-plan.rate, g / (sqrtf(spread) + plan.eps), w.value);
}

__device__ inline void adam(const OptimizerPlan& plan, const AdamSizes& sizes, float g,
                            Trained& w) {
  w.first = flushed(fmaf(plan.adam_beta1, w.first, plan.one_minus_beta1 * g));
  w.second = flushed(fmaf(plan.adam_beta2, w.second, plan.one_minus_beta2 * (g * g)));
  const float divisor = fmaf(sqrtf(w.second), sizes.root, plan.eps);
  w.value = fmaf(-sizes.step, w.first / divisor, w.value);
}

// Clips and applies view.grads. False, and nothing changed, when their norm is not finite.
__device__ inline bool apply_gradients(const AgentSpec& spec, const AgentView& view, Shared& s) {
  // Parameters are padded to whole groups of four by zeros that stay zero.
  const int groups = (spec.net.size + 3) / 4;
  const auto* grads = reinterpret_cast<const float4*>(view.grads);
  double squares = 0;
#pragma unroll 8
  for (int i = thread_id(); i < groups; i += kThreads) {
    const float4 g = grads[i];
    squares += static_cast<double>(g.x) * g.x + static_cast<double>(g.y) * g.y +
               static_cast<double>(g.z) * g.z + static_cast<double>(g.w) * g.w;
  }
  const double norm = sqrt(block_sum(squares, s.room));
  if (thread_id() == 0) s.grad_norm = norm;
  if (!isfinite(norm)) return false;
  const float scale = clip_scale(norm, spec.max_grad_norm);
  const AdamSizes sizes = adam_sizes(spec.optimizer, s.head.optimizer_steps);
  const bool two = spec.optimizer.adam != 0 || spec.optimizer.centered != 0;
  for (int i = thread_id(); i < groups; i += kThreads) {
    alignas(16) float g[4], value[4], first[4], second[4] = {};
    const auto load = [i](const float* from, float(&to)[4]) {
      *reinterpret_cast<float4*>(to) = reinterpret_cast<const float4*>(from)[i];
    };
    const auto save = [i](const float(&from)[4], float* to) {
      reinterpret_cast<float4*>(to)[i] = *reinterpret_cast<const float4*>(from);
    };
    load(view.grads, g);
    load(view.values, value);
    load(view.moment[0], first);
    if (two) load(view.moment[1], second);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      Trained w{value[k], first[k], second[k]};
      if (spec.optimizer.adam != 0) {
        adam(spec.optimizer, sizes, scale * g[k], w);
      } else {
        rmsprop(spec.optimizer, scale * g[k], w);
      }
      value[k] = w.value;
      first[k] = w.first;
      second[k] = w.second;
    }
    save(value, view.values);
    save(first, view.moment[0]);
    if (two) save(second, view.moment[1]);
  }
  __syncthreads();
  return true;
}

}  // namespace tarl::fleet
