// SPDX-License-Identifier: MIT
#include "tarl/statistics/aggregate.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tarl::statistics {
namespace {

const TaskScores kScores = {{0.1, 0.2, 0.3, 0.4}, {1.0, 2.0, 3.0, 6.0}};

TEST(Aggregates, OfTwoTasksAndFourRuns) {
  EXPECT_DOUBLE_EQ(aggregate_iqm(kScores), (0.3 + 0.4 + 1.0 + 2.0) / 4);
  EXPECT_DOUBLE_EQ(aggregate_mean(kScores), (0.25 + 3.0) / 2);
  EXPECT_DOUBLE_EQ(aggregate_median(kScores), (0.25 + 3.0) / 2);
  EXPECT_DOUBLE_EQ(aggregate_optimality_gap(kScores), 1 - (0.1 + 0.2 + 0.3 + 0.4 + 4) / 8);
}

TEST(Aggregates, ProbabilityOfImprovementCountsTiesHalf) {
  EXPECT_DOUBLE_EQ(probability_of_improvement({{1, 2}}, {{1, 3}}), (0.5 + 1) / 4);
  EXPECT_DOUBLE_EQ(probability_of_improvement({{5, 6}, {0}}, {{1, 2}, {1}}), 0.5);
}

TEST(Aggregates, PerformanceProfileIsTheShareAbove) {
  const std::vector<double> thresholds = {0, 0.3, 2.5, 6};
  EXPECT_EQ(performance_profile(kScores, thresholds),
            (std::vector<double>{1, 5.0 / 8, 2.0 / 8, 0}));
}

TEST(Bootstrap, IsTheSameForTheSameStream) {
  const Interval a = bootstrap_interval(kScores, aggregate_mean, seeded(1));
  const Interval b = bootstrap_interval(kScores, aggregate_mean, seeded(1));
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

// Resampling 0 and 1 gives a mean of 0, 1/2 or 1 with chances 1/4, 1/2, 1/4.
TEST(Bootstrap, FindsTheQuantilesOfAKnownDistribution) {
  const Interval half = bootstrap_interval({{0, 1}}, aggregate_mean, seeded(2), {20'000, 0.4});
  EXPECT_DOUBLE_EQ(half.low, 0.5);
  EXPECT_DOUBLE_EQ(half.high, 0.5);
  const Interval wide = bootstrap_interval({{0, 1}}, aggregate_mean, seeded(2), {20'000, 0.6});
  EXPECT_DOUBLE_EQ(wide.low, 0);
  EXPECT_DOUBLE_EQ(wide.high, 1);
}

TEST(Bootstrap, StaysWithinEachTask) {
  // Were runs exchanged between tasks, the first task's mean could pass 0.4.
  const Interval interval = bootstrap_interval(
      kScores, [](const TaskScores& s) { return mean(s[0]); }, seeded(3), {5'000, 0.999});
  EXPECT_GE(interval.low, 0.1);
  EXPECT_LE(interval.high, 0.4);
}

TEST(Bootstrap, OneRunHasNoInterval) {
  EXPECT_FALSE(bootstrap_interval({{1, 2}, {3}}, aggregate_mean, seeded(0)).known());
  EXPECT_FALSE(bootstrap_interval({}, aggregate_mean, seeded(0)).known());
  const auto band = bootstrap_curve({{{1, 2, 3}}}, aggregate_mean, seeded(0));
  ASSERT_EQ(band.size(), 3U);
  EXPECT_FALSE(band[0].known());
}

TEST(Bootstrap, PairsKeepTheirSeeds) {
  const TaskScores x = {{1, 2, 3}}, y = {{11, 12, 13}};
  const auto difference = [](const TaskScores& a, const TaskScores& b) {
    return aggregate_mean(b) - aggregate_mean(a);
  };
  const Interval paired = bootstrap_paired_interval(x, y, difference, seeded(4));
  EXPECT_NEAR(paired.low, 10, 1e-12);
  EXPECT_NEAR(paired.high, 10, 1e-12);
  const Interval independent = bootstrap_interval(x, y, difference, seeded(4));
  EXPECT_LT(independent.low, 9.5);
  EXPECT_GT(independent.high, 10.5);
}

TEST(Bootstrap, CurveBandsMatchSinglePoints) {
  const std::vector<Curve> runs = {{1, 10}, {2, 20}, {6, 60}, {4, 40}};
  const auto band = bootstrap_curve({runs}, aggregate_mean, seeded(5));
  const Interval first = bootstrap_interval({{1, 2, 6, 4}}, aggregate_mean, seeded(5));
  EXPECT_DOUBLE_EQ(band[0].low, first.low);
  EXPECT_DOUBLE_EQ(band[0].high, first.high);
  EXPECT_DOUBLE_EQ(band[1].low, 10 * first.low);
}

TEST(ProbabilityOfImprovement, CountsTiesHalfAndWhatIsNoNumberNever) {
  // 1 ties with 1; each 2 ties with 2 and beats 1: 0.5 + 1.5 + 1.5 of nine pairs.
  EXPECT_DOUBLE_EQ(probability_of_improvement({{1, 2, 2}}, {{2, 1, kNaN}}), 3.5 / 9);
  EXPECT_DOUBLE_EQ(probability_of_improvement({{kNaN, 3}}, {{2, 1}}), 2.0 / 4);
}

}  // namespace
}  // namespace tarl::statistics
