// SPDX-License-Identifier: MIT
#pragma once

#include <cfloat>

#include "tarl/fleet/cuda/ptx.cuh"
#include "tarl/fleet/optimizer_plan.h"
#include "tarl/nn/adam_sizes.h"

// nn::Optimizer for a single parameter, operation by operation.
namespace tarl::fleet {

__device__ inline float flushed(float x) {
  return fabsf(x) < FLT_MIN ? 0.0F : x;
}

using nn::AdamSizes;

// One parameter with its moments.
struct Trained {
  float value, first, second;
};

struct ExactMath {
  __device__ float root(float x) { return sqrtf(x); }

  __device__ float ratio(float a, float b) { return a / b; }
};

// The same operations without the slow paths for operands of extreme magnitude, whose branches keep
// a warp from interleaving several parameters. The result is valid only if `usual` stays true.
struct QuickMath {
  bool usual = true;

  __device__ float root(float x) {
    check(x, 100);
    const float inverse = ptx::approximate_reciprocal_sqrt(x), root = x * inverse;
    const float nearest = fmaf(fmaf(-root, root, x), 0.5F * inverse, root);
    return x == 0 ? x : nearest;
  }

  __device__ float ratio(float a, float b) {
    check(a, 80);
    check(b, 40);
    if (b == 0) usual = false;
    float inverse = ptx::approximate_reciprocal(b);
    inverse = fmaf(fmaf(-b, inverse, 1.0F), inverse, inverse);
    float ratio = a * inverse;
    ratio = fmaf(fmaf(-b, ratio, a), inverse, ratio);
    return fmaf(fmaf(-b, ratio, a), inverse, ratio);
  }

 private:
  // Clears `usual` unless |x| is zero or within 2^±powers.
  __device__ void check(float x, unsigned powers) {
    const unsigned size = __float_as_uint(x) & 0x7FFFFFFFU, least = (127 - powers) << 23;
    if (size != 0 && size - least > powers << 24) usual = false;
  }
};

template <bool kCentered, class Math>
__device__ void rmsprop(const OptimizerPlan& plan, float g, Trained& w, Math& math) {
  w.first = flushed(fmaf(plan.alpha, w.first, plan.one_minus_alpha * (g * g)));
  float spread = w.first;
  if constexpr (kCentered) {
    w.second = flushed(fmaf(plan.alpha, w.second, plan.one_minus_alpha * g));
    spread = fmaxf(fmaf(-w.second, w.second, w.first), 0.0F);
  }
  w.value = fmaf(-plan.rate, math.ratio(g, math.root(spread) + plan.eps), w.value);
}

template <class Math>
__device__ void adam(const OptimizerPlan& plan, const AdamSizes& sizes, float g, Trained& w,
                     Math& math) {
  w.first = flushed(fmaf(plan.adam_beta1, w.first, plan.one_minus_beta1 * g));
  w.second = flushed(fmaf(plan.adam_beta2, w.second, plan.one_minus_beta2 * (g * g)));
  const float divisor = fmaf(math.root(w.second), sizes.root, plan.eps);
  w.value = fmaf(-sizes.step, math.ratio(w.first, divisor), w.value);
}

}  // namespace tarl::fleet
