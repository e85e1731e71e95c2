// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "tarl/core/host_device.h"

// exp, log, tanh and sine for loops over many values: without branches and fused operations, so
// that compilers can vectorise them and every instruction set gives the same bits. Errors are
// within two units in the last place. NaN propagates.
namespace tarl::nn {

// Evaluates both sides and selects one; a conditional would prevent vectorisation.
TARL_HOST_DEVICE inline float select(bool first, float a, float b) {
  const std::int32_t mask = first ? -1 : 0;
  return std::bit_cast<float>((std::bit_cast<std::int32_t>(a) & mask) |
                              (std::bit_cast<std::int32_t>(b) & ~mask));
}

// NaN propagates, as everywhere here.
TARL_HOST_DEVICE inline float limit(float x, float low, float high) {
  const float raised = select(x < low, low, x);
  return select(raised > high, high, raised);
}

// Polynomials as in the Cephes library (S. L. Moshier).
TARL_HOST_DEVICE inline float exp_of(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const float in = limit(x, -87.0F, 88.0F);
  const float shifted = in * 1.44269504088896341F + kRound;
  const float n = shifted - kRound;
  const float r = (in - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float mantissa = (p * (r * r) + r) + 1.0F;
  const std::int32_t exponent =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound) + 127;
  return select(x != x, x, mantissa * std::bit_cast<float>(exponent << 23));
}

// Requires a normal x > 0.
TARL_HOST_DEVICE inline float log_of(float x) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(x);
  const float half = std::bit_cast<float>((bits & 0x007fffff) | 0x3f000000);  // in [0.5, 1)
  const bool small = half < 0.707106781186547524F;
  const auto e = static_cast<float>((bits >> 23) - 126 - (small ? 1 : 0));
  const float m = select(small, half + half, half) - 1.0F;
  const float z = m * m;
  float p = 7.0376836292e-2F;
  p = p * m - 1.1514610310e-1F;
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  const float tail = ((m * z) * p + e * -2.12194440e-4F) - 0.5F * z;
  return select(x != x, x, (m + tail) + e * 0.693359375F);
}

struct Tanh {
  float value;
  float slope;  // 1 - value^2, without cancellation
};

TARL_HOST_DEVICE inline Tanh tanh_of(float x) {
  const float size = select(x < 0.0F, -x, x);
  const float e = exp_of(-2.0F * size);
  const float one = 1.0F + e;
  const float large = (1.0F - e) / one;
  const float z = x * x;
  float p = -5.70498872745e-3F;
  p = p * z + 2.06390887954e-2F;
  p = p * z - 5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z - 3.33332819422e-1F;
  const float near_zero = (p * z) * x + x;
  const float far = select(x < 0.0F, -large, large);
  return {select(size < 0.625F, near_zero, far), (4.0F * e) / (one * one)};
}

struct SineCosine {
  float sine;
  float cosine;
};

// Sine and cosine of the angle turn * 2 pi / 2^32.
TARL_HOST_DEVICE inline SineCosine sine_cosine_of_turn(std::uint32_t turn) {
  const std::uint32_t quadrant = (turn + 0x20000000U) >> 30;
  const auto rest =
      static_cast<std::int32_t>(turn - (quadrant << 30));  // within an eighth of a turn
  const float x = static_cast<float>(rest) * (6.28318530717958648F * 0x1p-32F);
  const float z = x * x;
  float s = -1.9515295891e-4F;
  s = s * z + 8.3321608736e-3F;
  s = s * z - 1.6666654611e-1F;
  const float sine = (s * z) * x + x;
  float c = 2.443315711809948e-5F;
  c = c * z - 1.388731625493765e-3F;
  c = c * z + 4.166664568298827e-2F;
  const float cosine = (c * (z * z) - 0.5F * z) + 1.0F;
  const bool swapped = (quadrant & 1) != 0;
  const float first = select(swapped, cosine, sine), second = select(swapped, sine, cosine);
  return {select((quadrant & 2) != 0, -first, first),
          select(((quadrant + 1) & 2) != 0, -second, second)};
}

}  // namespace tarl::nn
