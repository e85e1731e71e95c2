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

TEST(EvaluationsDue, AreCountedWhateverTheProductOfStepsAndCount) {
  const std::int64_t steps = 1'000'000'000'000'000, count = 1'000'000'000;  // the largest settings
  EXPECT_EQ(evaluations_due(steps, steps, count), count);
  EXPECT_EQ(evaluations_due(steps - 1, steps, count), count - 1);
  EXPECT_EQ(evaluations_due(999'999, steps, count), 0);
  EXPECT_EQ(evaluations_due(1'000'000, steps, count), 1);
  EXPECT_EQ(evaluations_due(steps / 2, steps, count), count / 2);
  EXPECT_EQ(step_of_evaluation(count, steps, count), steps);
  EXPECT_EQ(step_of_evaluation(count - 1, steps, count), steps - 1'000'000);
}

TEST(EvaluationsDue, BeginAtTheFirstStepThatHasThem) {
  for (const std::int64_t steps : {7, 100, 1000}) {
    for (std::int64_t count = 1; count <= 7; ++count) {
      for (std::int64_t k = 1; k <= count; ++k) {
        const std::int64_t step = step_of_evaluation(k, steps, count);
        EXPECT_EQ(evaluations_due(step, steps, count), k);
        EXPECT_LT(evaluations_due(step - 1, steps, count), k);
      }
    }
  }
}

}  // namespace
}  // namespace tarl::train
