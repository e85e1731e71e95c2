// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/noise.h"

#include <cmath>

#include <gtest/gtest.h>

namespace {

namespace actor_critic = tarl::agents::actor_critic;

TEST(NormalRows, AreStandardNormal) {
  tarl::nn::Arena arena;
  constexpr int kRows = 20000, kWidth = 5;
  const tarl::nn::Rows out = arena.take_rows(kRows, kWidth);
  tarl::Rng rng = tarl::seeded(1);
  actor_critic::NormalRows(rng, kRows, kWidth).fill({0, kRows}, nullptr, out);
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
  const actor_critic::NormalRows noise(rng, 100, 6);
  noise.fill({0, 100}, nullptr, all);
  const std::vector<int> source = {99, 4, 57};
  noise.fill({0, 3}, source.data(), some);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 6; ++k) {
      EXPECT_EQ(some.row(i)[k], all.row(source[static_cast<std::size_t>(i)])[k]);
    }
  }
  // The stream has advanced past all of it, and the next rows differ.
  EXPECT_NE(rng, again);
  actor_critic::NormalRows(rng, 1, 6).fill({0, 1}, nullptr, some);
  for (int row = 0; row < 100; ++row) EXPECT_NE(some.row(0)[0], all.row(row)[0]);
}

}  // namespace
