// SPDX-License-Identifier: MIT
#include "tarl/statistics/descriptive.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tarl::statistics {
namespace {

const std::vector<double> kFive = {4, 1, 3, 2, 10};

TEST(Statistics, MeanAndSpreadOfFiveValues) {
  EXPECT_DOUBLE_EQ(mean(kFive), 4);
  EXPECT_DOUBLE_EQ(population_sd(kFive), std::sqrt(10.0));  // (0+9+1+4+36)/5
  EXPECT_DOUBLE_EQ(sample_sd(kFive), std::sqrt(12.5));
}

TEST(Statistics, WhatIsNotDefinedIsNaN) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(sample_sd(std::vector<double>{3})));
  EXPECT_DOUBLE_EQ(population_sd(std::vector<double>{3}), 0);
}

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile(kFive, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(kFive, 0.25), 2);
  EXPECT_DOUBLE_EQ(median(kFive), 3);
  EXPECT_DOUBLE_EQ(quantile(kFive, 0.9), 7.6);  // position 3.6 between 4 and 10
  EXPECT_DOUBLE_EQ(quantile(kFive, 1), 10);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{1, 2}), 1.5);
}

TEST(Statistics, InterquartileMeanCutsAQuarterAtEachEnd) {
  EXPECT_DOUBLE_EQ(interquartile_mean(kFive), 3);                         // cuts 1 and 10
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{1, 2, 9}), 4);  // too few to cut
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{8, 1, 2, 3, 4, 5, 6, 7}), 4.5);
}

TEST(Statistics, TrailingMeanIsShorterAtTheStart) {
  const Curve smooth = trailing_mean(std::vector<double>{2, 4, 6, 8}, 3);
  EXPECT_EQ(smooth, (Curve{2, 3, 4, 6}));
}

TEST(Statistics, RunningMaximumNeverFalls) {
  EXPECT_EQ(running_maximum(std::vector<double>{1, 3, 2, 5, 4}), (Curve{1, 3, 3, 5, 5}));
}

TEST(Nauc, IsZeroAtRandomOneAtTheBestAndClippedBelow) {
  const Bounds bounds{2, 6};
  EXPECT_DOUBLE_EQ(nauc(std::vector<double>{2, 2}, bounds), 0);
  EXPECT_DOUBLE_EQ(nauc(std::vector<double>{6, 6}, bounds), 1);
  EXPECT_DOUBLE_EQ(nauc(std::vector<double>{-10, 4}, bounds), 0.25);
}

TEST(Nauc, IsZeroWhenNothingBeatsRandom) {
  EXPECT_DOUBLE_EQ(nauc(std::vector<double>{1, 2}, {2, 2}), 0);
}

TEST(Statistics, AreaFinalAndPeakOfACurve) {
  Curve curve;
  for (int t = 1; t <= 20; ++t) curve.push_back(t);
  EXPECT_DOUBLE_EQ(area(curve), 10.5);
  EXPECT_DOUBLE_EQ(final_score(curve), 15.5);
  EXPECT_DOUBLE_EQ(final_score(std::vector<double>{1, 2}), 1.5);
  EXPECT_DOUBLE_EQ(peak(curve), 20);
}

// The paper's Atari table: the mean of ratios and the ratio of means tell different stories.
TEST(Gains, MeanOfRatiosAndRatioOfMeansDiffer) {
  const std::vector<double> base = {0.325, 0.088, 0.035, 0.108, 0.077,
                                    0.239, 0.341, 0.113, 0.201, 0.216};
  const std::vector<double> aligned = {0.414, 0.270, 0.193, 0.296, 0.338,
                                       0.298, 0.439, 0.255, 0.361, 0.363};
  const Gains both = gains(base, aligned);
  EXPECT_NEAR(both.mean_of_ratios, 151.88, 1.5);  // from rounded table entries
  EXPECT_NEAR(both.ratio_of_means, 85.2, 0.1);
}

TEST(Gains, AnEnvironmentWithoutBaselineHasNoRatio) {
  const Gains both = gains(std::vector<double>{0, 2}, std::vector<double>{1, 3});
  EXPECT_DOUBLE_EQ(both.mean_of_ratios, 50);
  EXPECT_DOUBLE_EQ(both.ratio_of_means, 100);
}

TEST(Curves, AreSummarisedPointByPoint) {
  const std::vector<Curve> runs = {{1, 10}, {2, 20}, {6, 60}};
  EXPECT_EQ(mean_curve(runs), (Curve{3, 30}));
  EXPECT_EQ(quantile_curve(runs, 0.5), (Curve{2, 20}));
  EXPECT_EQ(quantile_curve(runs, 0.25), (Curve{1.5, 15}));
  EXPECT_THROW(mean_curve(std::vector<Curve>{{1}, {1, 2}}), std::logic_error);
}

}  // namespace
}  // namespace tarl::statistics
