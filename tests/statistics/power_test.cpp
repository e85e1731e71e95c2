// SPDX-License-Identifier: MIT
#include "tarl/statistics/power.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/statistics/aggregate.h"

namespace tarl::statistics {
namespace {

// Reference: the noncentral t distribution of SciPy.
TEST(Power, OfThePairedTestMatchesTheNoncentralT) {
  EXPECT_NEAR(paired_power(1.0, 3), 0.17925539, 2e-4);
  EXPECT_NEAR(paired_power(1.7, 5), 0.80778064, 2e-4);
  EXPECT_NEAR(paired_power(1.0, 10), 0.80309686, 2e-4);
  EXPECT_NEAR(paired_power(1.0, 30), 0.99956360, 2e-4);
  EXPECT_NEAR(paired_power(0.0, 8), 0.05, 1e-4);
}

// Reference: 200 000 simulated tests each, standard error at most 0.0011.
TEST(Power, OfWelchsTestMatchesSimulation) {
  EXPECT_NEAR(welch_power(1.0, 3), 0.1170, 0.004);
  EXPECT_NEAR(welch_power(2.1, 5), 0.8058, 0.004);
  EXPECT_NEAR(welch_power(1.0, 10), 0.5579, 0.004);
}

TEST(Power, SmallestEffectsOfTheTable) {
  EXPECT_NEAR(smallest_effect_paired(5), 1.7, 0.05);
  EXPECT_NEAR(smallest_effect_welch(5), 2.1, 0.05);
  EXPECT_NEAR(smallest_effect_paired(10), 1.0, 0.05);
  EXPECT_NEAR(smallest_effect_welch(20), 0.91, 0.02);
}

TEST(Power, SeedsNeededIsTheFewestThatSuffice) {
  EXPECT_EQ(seeds_needed(1.0), 10);  // 0.803 at 10, below 0.8 at 9
  EXPECT_LT(paired_power(1.0, 9), kPower);
  EXPECT_EQ(seeds_needed(50), 6);  // fewer cannot reach p < 0.05 whatever the effect
  EXPECT_EQ(seeds_needed(-1.0), 10);
  EXPECT_FALSE(seeds_needed(0).has_value());
  EXPECT_FALSE(seeds_needed(1e-3).has_value());
  EXPECT_FALSE(seeds_needed(NAN).has_value());
}

double simulated_coverage(int n, bool log_normal) {
  Rng rng = seeded(11);
  constexpr int kTrials = 1'500;
  const double truth = log_normal ? std::exp(0.5) : 0;
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    TaskScores values(1);
    for (int i = 0; i < n; ++i) {
      const double z = rng.normal();
      values[0].push_back(log_normal ? std::exp(z) : z);
    }
    const Rng stream = rng.fork(std::to_string(trial));
    covered +=
        bootstrap_interval(values, aggregate_mean, stream, {500, 0.95}).excludes(truth) ? 0 : 1;
  }
  return static_cast<double>(covered) / kTrials;
}

TEST(Coverage, TableAgreesWithSimulation) {
  for (const int n : {3, 5, 10}) {
    EXPECT_NEAR(bootstrap_coverage(n).normal, simulated_coverage(n, false), 0.035) << n;
    EXPECT_NEAR(bootstrap_coverage(n).log_normal, simulated_coverage(n, true), 0.045) << n;
  }
}

TEST(Coverage, GrowsBetweenTheRows) {
  double last = 0;
  for (int n = 3; n <= 30; ++n) {
    EXPECT_GE(bootstrap_coverage(n).normal, last);
    last = bootstrap_coverage(n).normal;
  }
}

TEST(WhatSeedsCanShow, SaysWhatIsOutOfReach) {
  EXPECT_NE(what_seeds_can_show(1).find("no interval"), std::string::npos);
  EXPECT_NE(what_seeds_can_show(5).find("0.062"), std::string::npos);
  EXPECT_NE(what_seeds_can_show(5).find("no single game can be significant"), std::string::npos);
  EXPECT_EQ(what_seeds_can_show(6).find("no single game"), std::string::npos);
  EXPECT_NE(what_seeds_can_show(10).find("10 seeds"), std::string::npos);
  EXPECT_NE(what_seeds_can_show(0).find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace tarl::statistics
