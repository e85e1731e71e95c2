// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/host_device.h"
#include "tarl/core/rng.h"
#include "tarl/nn/vector_math.h"

// The policies of SAC and TD3, one action component at a time, for the CPU and a GPU. Branch-free,
// like vector_math.h.
namespace tarl::agents {

inline constexpr float kLowestLogStd = -20;
inline constexpr float kHighestLogStd = 2;
inline constexpr float kTinySlope = 1e-6F;  // keeps the logarithm finite at saturated actions
inline constexpr float kHalfLogTwoPi = 0.918938533F;

// The squashed Gaussian: a = tanh(mu + deviation eps), and its term of log pi.
struct SquashedSample {
  float deviation, action, slope, log_prob;
};

TARL_HOST_DEVICE inline SquashedSample squashed_sample(float mu, float log_std, float eps) {
  const float limited = nn::limit(log_std, kLowestLogStd, kHighestLogStd);
  const float deviation = nn::exp_of(limited);
  const nn::Tanh squashed = nn::tanh_of(mu + deviation * eps);
  const float log_prob =
      ((-0.5F * eps) * eps - limited) - (kHalfLogTwoPi + nn::log_of(squashed.slope + kTinySlope));
  return {deviation, squashed.value, squashed.slope, log_prob};
}

// The gradients at its two outputs, from `da` and the weight of log pi, which moves by
// 2 a (1 - a^2) / (1 - a^2 + 1e-6) with u and by -1 with log_std.
struct SquashedSlopes {
  float mu, log_std;
};

TARL_HOST_DEVICE inline SquashedSlopes squashed_slopes(const SquashedSample& sample, float log_std,
                                                       float eps, float da, float weight) {
  const float du = da * sample.slope +
                   weight * (2.0F * sample.action * (sample.slope / (sample.slope + kTinySlope)));
  const bool limited = log_std < kLowestLogStd || log_std > kHighestLogStd;
  return {du, limited ? 0.0F : du * (sample.deviation * eps) - weight};
}

// TD3's target action: tanh(mu) with clipped noise.
TARL_HOST_DEVICE inline float smoothed_action(float mu, float scale, float clip, float eps) {
  return nn::limit(nn::tanh_of(mu).value + nn::limit(scale * eps, -clip, clip), -1.0F, 1.0F);
}

// The action for a network's outputs on one observation. SAC: a sample of the policy while
// exploring (one normal() per component), its mean otherwise.
inline void choose_squashed(const float* heads, int size, bool explore, Rng& stream, float* out) {
  for (int k = 0; k < size; ++k) {
    out[k] =
        explore
            ? squashed_sample(heads[k], heads[size + k], static_cast<float>(stream.normal())).action
            : nn::tanh_of(heads[k]).value;
  }
}

// TD3: tanh(mu), plus noise of that deviation while exploring (one normal() per component).
inline void choose_noisy(const float* mu, int size, bool explore, double deviation, Rng& stream,
                         float* out) {
  for (int k = 0; k < size; ++k) {
    const double noise = explore ? deviation * stream.normal() : 0;
    out[k] = nn::limit(nn::tanh_of(mu[k]).value + static_cast<float>(noise), -1.0F, 1.0F);
  }
}

// Whether TD3's `update`, counted from 1, also updates the actor and the targets.
TARL_HOST_DEVICE inline bool actor_is_due(std::int64_t update, std::int64_t policy_delay) {
  return update % policy_delay == 0;
}

}  // namespace tarl::agents
