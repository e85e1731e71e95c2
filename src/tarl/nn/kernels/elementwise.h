// SPDX-License-Identifier: MIT
#pragma once

// Flat passes over parameters: norm, optimisers, averaging; and the measurement of the FMA peak.

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// Four accumulators of 16 lanes (vector i goes to accumulator i mod 4), added pairwise and folded.
inline float sum_squares(const float* x, std::size_t n) {
  Vec sum[4] = {zero(), zero(), zero(), zero()};
  constexpr std::size_t kStep = vectors(4);
  const std::size_t whole = n / kStep * kStep;
  std::size_t i = 0;
  for (; i < whole; i += kStep) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const Vec value = load(x + i + vectors(v));
      sum[v] = fma(value, value, sum[v]);
    }
  }
  for (int v = 0; i < n; i += kLanes, ++v) {
    const Vec value = load(x + i);
    sum[v] = fma(value, value, sum[v]);
  }
  return fold((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

inline void polyak(float* target, const float* online, std::size_t n, float tau) {
  const Vec rate = splat(tau);
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Vec old = load(target + i);
    store(target + i, fma(rate, load(online + i) - old, old));
  }
}

template <bool kPastCaches>
inline void put(float* p, Vec x) {
  if constexpr (kPastCaches) {
    store_past_caches(p, x);
  } else {
    store(p, x);
  }
}

template <bool kCentered, bool kPastCaches>
inline void rmsprop_pass(const RmspropStep& s, std::size_t begin, std::size_t end) {
  const Vec scale = splat(s.scale), rate = splat(s.rate), eps = splat(s.eps);
  const Vec alpha = splat(s.alpha), rest = splat(s.one_minus_alpha);
  for (std::size_t i = begin; i < end; i += kLanes) {
    const Vec g = scale * load(s.grad + i);
    const Vec v = flushed(fma(alpha, load(s.square_avg + i), rest * (g * g)));
    store(s.square_avg + i, v);
    Vec spread = v;
    if constexpr (kCentered) {
      const Vec u = flushed(fma(alpha, load(s.grad_avg + i), rest * g));
      store(s.grad_avg + i, u);
      spread = relu(fnma(u, u, v));  // rounding may leave a zero variance slightly negative
    }
    const Vec value = fnma(rate, g / (square_root(spread) + eps), load(s.value + i));
    put<kPastCaches>(s.value + i, value);
  }
  if constexpr (kPastCaches) flush_stores();
}

inline void rmsprop(const RmspropStep& s, std::size_t begin, std::size_t end) {
  if (s.grad_avg != nullptr) {
    s.past_caches ? rmsprop_pass<true, true>(s, begin, end)
                  : rmsprop_pass<true, false>(s, begin, end);
  } else {
    s.past_caches ? rmsprop_pass<false, true>(s, begin, end)
                  : rmsprop_pass<false, false>(s, begin, end);
  }
}

template <bool kPastCaches>
inline void adam_pass(const AdamStep& s, std::size_t begin, std::size_t end) {
  const Vec scale = splat(s.scale), step = splat(s.step), root = splat(s.root), eps = splat(s.eps);
  const Vec beta1 = splat(s.beta1), rest1 = splat(s.one_minus_beta1);
  const Vec beta2 = splat(s.beta2), rest2 = splat(s.one_minus_beta2);
  for (std::size_t i = begin; i < end; i += kLanes) {
    const Vec g = scale * load(s.grad + i);
    const Vec m = flushed(fma(beta1, load(s.exp_avg + i), rest1 * g));
    const Vec v = flushed(fma(beta2, load(s.exp_avg_sq + i), rest2 * (g * g)));
    store(s.exp_avg + i, m);
    store(s.exp_avg_sq + i, v);
    const Vec divisor = fma(square_root(v), root, eps);
    put<kPastCaches>(s.value + i, fnma(step, m / divisor, load(s.value + i)));
  }
  if constexpr (kPastCaches) flush_stores();
}

inline void adam(const AdamStep& s, std::size_t begin, std::size_t end) {
  s.past_caches ? adam_pass<true>(s, begin, end) : adam_pass<false>(s, begin, end);
}

inline double burn(long rounds) {
  // Enough chains to hide the latency of two FMA units, few enough to stay in registers.
  constexpr int kChains = kTileRows * kTileVectors < 16 ? kTileRows * kTileVectors : 16;
  Vec c[kChains];
  for (int i = 0; i < kChains; ++i) c[i] = splat(static_cast<float>(i) * 1e-3F);
  const Vec a = splat(0.999F), b = splat(1e-3F);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) c[i] = fma(a, c[i], b);
  }
  Vec sum = zero();
  for (int i = 0; i < kChains; ++i) sum = sum + c[i];
  // Never true, but the compiler cannot prove it and keeps the loop.
  const double done = 2.0 * kLanes * kChains * static_cast<double>(rounds);
  return fold(sum) < 0.0F ? 0.0 : done;
}

}  // namespace

}  // namespace tarl::nn
