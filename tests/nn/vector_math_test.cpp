// SPDX-License-Identifier: MIT
#include "tarl/nn/vector_math.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace {

namespace nn = tarl::nn;

// The error in units in the last place of the true value.
double ulps(float got, double expected) {
  const float near = static_cast<float>(expected);
  const double unit = std::nextafter(std::fabs(near), INFINITY) - std::fabs(near);
  return std::fabs(double{got} - expected) / unit;
}

TEST(VectorMath, ExpLogAndTanhAreAccurate) {
  for (int i = -8000; i <= 8000; ++i) {
    const float x = static_cast<float>(i) * 0.01F;
    EXPECT_LT(ulps(nn::exp_of(x), std::exp(double{x})), 3) << x;
    if (i > 0) {
      EXPECT_LT(std::fabs(nn::log_of(x) - std::log(double{x})),
                2e-7 * std::max(1.0, std::fabs(std::log(double{x}))))
          << x;
    }
    const float small = static_cast<float>(i) * 1e-3F;
    const nn::Tanh tanh = nn::tanh_of(small);
    if (i != 0) {
      EXPECT_LT(ulps(tanh.value, std::tanh(double{small})), 3) << small;
    }
    const double slope = 1 / (std::cosh(double{small}) * std::cosh(double{small}));
    EXPECT_LT(std::fabs(tanh.slope - slope), 1e-6 * slope) << small;
  }
}

TEST(VectorMath, KeepsWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(nn::exp_of(nan)));
  EXPECT_TRUE(std::isnan(nn::log_of(nan)));
  EXPECT_TRUE(std::isnan(nn::tanh_of(nan).value));
  EXPECT_TRUE(std::isnan(nn::limit(nan, -1, 1)));
  EXPECT_EQ(nn::tanh_of(100).value, 1.0F);
  EXPECT_EQ(nn::tanh_of(-100).value, -1.0F);
}

TEST(VectorMath, SineAndCosineOfATurn) {
  for (int i = 0; i < 4096; ++i) {
    const auto turn = static_cast<std::uint32_t>(i) << 20 | 0x1234U;
    const double angle = turn * (2 * M_PI / 4294967296.0);
    const nn::SineCosine got = nn::sine_cosine_of_turn(turn);
    EXPECT_NEAR(got.sine, std::sin(angle), 2e-7);
    EXPECT_NEAR(got.cosine, std::cos(angle), 2e-7);
  }
}

}  // namespace
