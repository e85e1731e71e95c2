// SPDX-License-Identifier: MIT
#include "tarl/nn/loss.h"

#include <gtest/gtest.h>

namespace tarl::nn {

namespace {

TEST(Loss, MatchesTheTable) {
  EXPECT_DOUBLE_EQ(loss_value(LossKind::kHuber, 0.5), 0.125);
  EXPECT_DOUBLE_EQ(loss_value(LossKind::kHuber, -3), 2.5);
  EXPECT_DOUBLE_EQ(loss_value(LossKind::kHuber, 1), 0.5);
  EXPECT_DOUBLE_EQ(loss_value(LossKind::kMse, -3), 9);
}

TEST(Loss, SlopeIsTheDerivative) {
  for (const LossKind kind : {LossKind::kHuber, LossKind::kMse}) {
    for (const double e : {-2.5, -0.7, 0.0, 0.3, 4.0}) {
      const double h = 1e-6;
      const double expected = (loss_value(kind, e + h) - loss_value(kind, e - h)) / (2 * h);
      EXPECT_NEAR(loss_slope(kind, static_cast<float>(e)), expected, 1e-5);
    }
    EXPECT_TRUE(std::isnan(loss_slope(kind, NAN)));
  }
}

}  // namespace

}  // namespace tarl::nn
