// SPDX-License-Identifier: MIT
#include "tarl/train/schedules.h"

#include <gtest/gtest.h>

namespace tarl::train {
namespace {

TEST(ExplorationRate, FallsLinearlyOverTheFractionThenStays) {
  EXPECT_DOUBLE_EQ(exploration_rate(0, 2'000'000, 1, 0.01, 0.05), 1);
  EXPECT_NEAR(exploration_rate(50'000, 2'000'000, 1, 0.01, 0.05), 0.505, 1e-12);
  EXPECT_DOUBLE_EQ(exploration_rate(100'000, 2'000'000, 1, 0.01, 0.05), 0.01);
  EXPECT_DOUBLE_EQ(exploration_rate(2'000'000, 2'000'000, 1, 0.01, 0.05), 0.01);
}

TEST(ExplorationRate, WithNoFractionIsFinalFromTheStart) {
  EXPECT_DOUBLE_EQ(exploration_rate(0, 100, 1, 0.1, 0), 0.1);
}

TEST(MultiplesPassed, CountsEachOnceForAnyNumberOfLanes) {
  for (const int lanes : {1, 3, 8}) {
    std::int64_t passed = 0;
    for (std::int64_t step = 0; step < 240; step += lanes) {
      passed += multiples_passed(step, step + lanes, 4);
    }
    EXPECT_EQ(passed, 60);
  }
}

TEST(EvaluationsDue, AreEvenlySpacedAndEndWithTheRun) {
  EXPECT_EQ(evaluations_due(19'999, 2'000'000, 100), 0);
  EXPECT_EQ(evaluations_due(20'000, 2'000'000, 100), 1);
  EXPECT_EQ(evaluations_due(2'000'000, 2'000'000, 100), 100);
  EXPECT_EQ(evaluations_due(7, 7, 3), 3);
}

}  // namespace
}  // namespace tarl::train
