// SPDX-License-Identifier: MIT
#include "tarl/replay/score.h"

#include <cmath>

#include <gtest/gtest.h>

namespace {

using tarl::replay::ScorePriorities;

TEST(Score, WeighsByThePowerOfTheScore) {
  ScorePriorities score(2.0, 0.01, 8);
  for (std::int64_t slot = 0; slot < 3; ++slot) score.add(slot, false);
  EXPECT_DOUBLE_EQ(score.weight(2), 1.01 * 1.01);
  score.update(std::vector<std::int64_t>{0, 2}, std::vector<double>{0.5, 0.0});
  EXPECT_DOUBLE_EQ(score.weight(0), 0.51 * 0.51);
  EXPECT_DOUBLE_EQ(score.weight(1), 1.01 * 1.01);
  EXPECT_DOUBLE_EQ(score.weight(2), 0.01 * 0.01);
  EXPECT_EQ(score.weight(3), 0.0);
}

TEST(Score, ATargetSyncMakesAllEqualAgain) {
  ScorePriorities score(1.0, 1e-6, 8);
  for (std::int64_t slot = 0; slot < 5; ++slot) score.add(slot, false);
  score.update(std::vector<std::int64_t>{0, 3}, std::vector<double>{0.5, 0.1});
  score.on_target_sync();
  for (std::int64_t slot = 0; slot < 5; ++slot) EXPECT_EQ(score.weight(slot), 1 + 1e-6);
  for (std::int64_t slot = 5; slot < 8; ++slot) EXPECT_EQ(score.weight(slot), 0.0);
  EXPECT_NEAR(score.total(), 5 * (1 + 1e-6), 1e-12);
}

}  // namespace
