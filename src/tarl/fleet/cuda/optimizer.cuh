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

__device__ inline void rmsprop(const OptimizerPlan& plan, const AgentView& view, int i, float g) {
  const float v = flushed(fmaf(plan.alpha, view.moment[0][i], plan.one_minus_alpha * (g * g)));
  view.moment[0][i] = v;
  float spread = v;
  if (plan.centered != 0) {
    const float u = flushed(fmaf(plan.alpha, view.moment[1][i], plan.one_minus_alpha * g));
    view.moment[1][i] = u;
    spread = fmaxf(fmaf(-u, u, v), 0.0F);
  }
  view.values[i] = fmaf(-plan.rate, g / (sqrtf(spread) + plan.eps), view.values[i]);
}

__device__ inline void adam(const OptimizerPlan& plan, const AdamSizes& sizes,
                            const AgentView& view, int i, float g) {
  const float m = flushed(fmaf(plan.adam_beta1, view.moment[0][i], plan.one_minus_beta1 * g));
  const float v = flushed(fmaf(plan.adam_beta2, view.moment[1][i], plan.one_minus_beta2 * (g * g)));
  view.moment[0][i] = m;
  view.moment[1][i] = v;
  const float divisor = fmaf(sqrtf(v), sizes.root, plan.eps);
  view.values[i] = fmaf(-sizes.step, m / divisor, view.values[i]);
}

// Clips and applies view.grads. False, and nothing changed, when their norm is not finite.
__device__ inline bool apply_gradients(const AgentSpec& spec, const AgentView& view, Shared& s) {
  double squares = 0;
  for (int i = thread_id(); i < spec.net.size; i += kThreads) {
    squares += static_cast<double>(view.grads[i]) * static_cast<double>(view.grads[i]);
  }
  const double norm = sqrt(block_sum(squares, s.room));
  if (thread_id() == 0) s.grad_norm = norm;
  if (!isfinite(norm)) return false;
  const float scale = clip_scale(norm, spec.max_grad_norm);
  const AdamSizes sizes = adam_sizes(spec.optimizer, s.head.optimizer_steps);
  for (int i = thread_id(); i < spec.net.size; i += kThreads) {
    const float g = scale * view.grads[i];
    if (spec.optimizer.adam != 0) {
      adam(spec.optimizer, sizes, view, i, g);
    } else {
      rmsprop(spec.optimizer, view, i, g);
    }
  }
  __syncthreads();
  return true;
}

}  // namespace tarl::fleet
