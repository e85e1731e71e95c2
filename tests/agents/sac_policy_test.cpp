// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_policy.h"

#include <cmath>

#include <gtest/gtest.h>

namespace {

TEST(SquashedGaussian, DensityIntegratesToOneInOneDimension) {
  tarl::nn::Arena arena;
  constexpr int kPoints = 4001;
  for (const auto& [mu, log_std] : {std::pair{0.0F, -1.0F}, {0.7F, -0.5F}, {-0.4F, 0.2F}}) {
    tarl::agents::SquashedGaussian policy(1, kPoints, arena);
    const tarl::nn::Rows heads = arena.take_rows(kPoints, 2), x = arena.take_rows(kPoints, 1);
    for (int i = 0; i < kPoints; ++i) {
      heads.row(i)[0] = mu;
      heads.row(i)[1] = log_std;
      *policy.noise().row(i) = -6.0F + 12.0F * static_cast<float>(i) / (kPoints - 1);
    }
    policy.sample(heads, {0, kPoints}, x, 0);
    double area = 0;
    for (int i = 1; i < kPoints; ++i) {
      const double width = double{*x.row(i)} - double{*x.row(i - 1)};
      const auto at = static_cast<std::size_t>(i);
      area += 0.5 * width * (std::exp(policy.log_prob()[at]) + std::exp(policy.log_prob()[at - 1]));
    }
    EXPECT_NEAR(area, 1.0, 1e-3) << mu << " " << log_std;
  }
}

TEST(SquashedGaussian, LimitsTheDeviationAndLetsNoGradientThroughTheLimit) {
  tarl::nn::Arena arena;
  tarl::agents::SquashedGaussian policy(1, 1, arena);
  const tarl::nn::Rows heads = arena.take_rows(1, 2), x = arena.take_rows(1, 1);
  const tarl::nn::Rows da = arena.take_rows(1, 1), dheads = arena.take_rows(1, 2);
  heads.row(0)[1] = 5;  // beyond 2
  *policy.noise().row(0) = 0.05F;
  *da.row(0) = 1;
  policy.sample(heads, {0, 1}, x, 0);
  EXPECT_NEAR(*x.row(0), std::tanh(0.05 * std::exp(2.0)), 1e-6);
  policy.backward(heads, {0, 1}, da, 0.5F, dheads);
  EXPECT_NE(dheads.row(0)[0], 0.0F);
  EXPECT_EQ(dheads.row(0)[1], 0.0F);
}

}  // namespace
