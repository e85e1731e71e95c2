// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tarl/agents/twin_kept_rows.h"
#include "tarl/agents/twin_math.h"
#include "tarl/agents/twin_noise.h"

namespace {

namespace twin = tarl::agents::twin;

// Error in units of the last place of the true value.
double ulps(float got, double expected) {
  const float near = static_cast<float>(expected);
  const double unit = std::nextafter(std::fabs(near), INFINITY) - std::fabs(near);
  return std::fabs(double{got} - expected) / unit;
}

TEST(TwinMath, ExpLogAndTanhAreAccurate) {
  for (int i = -8000; i <= 8000; ++i) {
    const float x = static_cast<float>(i) * 0.01F;
    EXPECT_LT(ulps(twin::exp_of(x), std::exp(double{x})), 3) << x;
    if (i > 0) {
      EXPECT_LT(std::fabs(twin::log_of(x) - std::log(double{x})),
                2e-7 * std::max(1.0, std::fabs(std::log(double{x}))))
          << x;
    }
    const float small = static_cast<float>(i) * 1e-3F;
    const twin::Tanh tanh = twin::tanh_of(small);
    if (i != 0) {
      EXPECT_LT(ulps(tanh.value, std::tanh(double{small})), 3) << small;
    }
    const double slope = 1 / (std::cosh(double{small}) * std::cosh(double{small}));
    EXPECT_LT(std::fabs(tanh.slope - slope), 1e-6 * slope) << small;
  }
}

TEST(TwinMath, KeepsWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(twin::exp_of(nan)));
  EXPECT_TRUE(std::isnan(twin::log_of(nan)));
  EXPECT_TRUE(std::isnan(twin::tanh_of(nan).value));
  EXPECT_TRUE(std::isnan(twin::limit(nan, -1, 1)));
  EXPECT_EQ(twin::tanh_of(100).value, 1.0F);
  EXPECT_EQ(twin::tanh_of(-100).value, -1.0F);
}

TEST(TwinMath, SineAndCosineOfATurn) {
  for (int i = 0; i < 4096; ++i) {
    const auto turn = static_cast<std::uint32_t>(i) << 20 | 0x1234U;
    const double angle = turn * (2 * M_PI / 4294967296.0);
    const twin::SineCosine got = twin::sine_cosine_of_turn(turn);
    EXPECT_NEAR(got.sine, std::sin(angle), 2e-7);
    EXPECT_NEAR(got.cosine, std::cos(angle), 2e-7);
  }
}

TEST(NormalRows, AreStandardNormal) {
  tarl::nn::Arena arena;
  constexpr int kRows = 20000, kWidth = 5;
  const tarl::nn::Rows out = arena.take_rows(kRows, kWidth);
  tarl::Rng rng = tarl::seeded(1);
  twin::NormalRows(rng, kRows, kWidth).fill({0, kRows}, nullptr, out);
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  int beyond = 0;
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < kWidth; ++k) {
      const double x = double{out.row(row)[k]};
      sum += x;
      squares += x * x;
      fourth += x * x * x * x;
      beyond += std::fabs(x) > 1.959964 ? 1 : 0;
      if (k > 0) neighbours += x * double{out.row(row)[k - 1]};
    }
  }
  constexpr double kCount = kRows * kWidth;
  EXPECT_NEAR(sum / kCount, 0, 0.012);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
  EXPECT_NEAR(fourth / kCount, 3, 0.15);
  EXPECT_NEAR(beyond / kCount, 0.05, 0.003);
  EXPECT_NEAR(neighbours / kCount, 0, 0.012);
}

TEST(NormalRows, ARowsNoiseDependsOnlyOnItsNumber) {
  tarl::nn::Arena arena;
  const tarl::nn::Rows all = arena.take_rows(100, 6), some = arena.take_rows(100, 6);
  tarl::Rng rng = tarl::seeded(1), again = tarl::seeded(1);
  const twin::NormalRows noise(rng, 100, 6);
  noise.fill({0, 100}, nullptr, all);
  const std::vector<int> source = {99, 4, 57};
  noise.fill({0, 3}, source.data(), some);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 6; ++k) {
      EXPECT_EQ(some.row(i)[k], all.row(source[static_cast<std::size_t>(i)])[k]);
    }
  }
  // The stream has moved past all of it, and the next rows are others.
  EXPECT_NE(rng, again);
  twin::NormalRows(rng, 1, 6).fill({0, 1}, nullptr, some);
  for (int row = 0; row < 100; ++row) EXPECT_NE(some.row(0)[0], all.row(row)[0]);
}

TEST(KeptRows, AreSortedWithTheirWeights) {
  twin::KeptRows kept(10);
  const std::vector<std::int32_t> rows = {7, 2, 5};
  const std::vector<float> weight = {0.7F, 0.2F, 0.5F};
  kept.set(rows, weight, 10);
  EXPECT_EQ(kept.rows(), (std::vector<int>{2, 5, 7}));
  EXPECT_EQ(kept.weight(0), 0.2F);
  EXPECT_EQ(kept.weight(2), 0.7F);
  EXPECT_FALSE(kept.all());
  EXPECT_DOUBLE_EQ(kept.mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_THROW(kept.set(std::vector<std::int32_t>{1, 1}, std::vector<float>{1, 1}, 10),
               std::logic_error);
  EXPECT_THROW(kept.set(std::vector<std::int32_t>{10}, std::vector<float>{1}, 10),
               std::logic_error);
}

}  // namespace
