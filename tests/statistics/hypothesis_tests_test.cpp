// SPDX-License-Identifier: MIT
#include "tarl/statistics/hypothesis_tests.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tarl::statistics {
namespace {

const Rng kRng = seeded(0);

TEST(Permutation, FiveWinsOfFiveGiveOneSixteenth) {
  EXPECT_DOUBLE_EQ(permutation_p(std::vector<double>{1, 2, 3, 4, 5}, kRng), 2.0 / 32);
  EXPECT_DOUBLE_EQ(smallest_permutation_p(5), 0.0625);
  EXPECT_DOUBLE_EQ(smallest_permutation_p(6), 0.03125);
  EXPECT_DOUBLE_EQ(smallest_permutation_p(1), 1);
}

// Sums of +-1 +-2 +-3 at least as far from 0 as 1 + 2 - 3 = 0: all of them.
TEST(Permutation, CountsPatternsAsFarOut) {
  EXPECT_DOUBLE_EQ(permutation_p(std::vector<double>{1, 2, -3}, kRng), 1);
  // |sum| of 3 + 2 - 1 = 4: reached by +-(3+2+1), +-(3+2-1): 4 of 8.
  EXPECT_DOUBLE_EQ(permutation_p(std::vector<double>{3, 2, -1}, kRng), 0.5);
}

TEST(Permutation, RoundingDoesNotBreakTies) {
  // 0.1 + 0.2 - 0.3 and its negation are the same distance from 0 as every other tie.
  EXPECT_DOUBLE_EQ(permutation_p(std::vector<double>{0.1, 0.2, -0.3}, kRng), 1);
  EXPECT_DOUBLE_EQ(permutation_p(std::vector<double>{0, 0, 0}, kRng), 1);
}

TEST(Permutation, SampledAgreesWithExact) {
  std::vector<double> differences;
  for (int i = 0; i < 20; ++i) differences.push_back(std::sin(i * 1.7) + 0.35);
  const double exact = permutation_p(differences, kRng);
  differences.push_back(0);  // one more pair that changes no sum, but passes the exact limit
  const double sampled = permutation_p(differences, kRng);
  EXPECT_GT(exact, 0.01);
  EXPECT_NEAR(sampled, exact, 4 * std::sqrt(exact / 100'000));
}

TEST(Permutation, NothingToTestIsNaN) {
  EXPECT_TRUE(std::isnan(permutation_p({}, kRng)));
}

// Reference values below are SciPy's.
TEST(Student, TailsMatchReference) {
  EXPECT_NEAR(student_p(2.0, 3.5), 0.12613852257591343, 1e-12);
  EXPECT_NEAR(student_p(-0.5, 1), 0.7048327646991335, 1e-12);
  EXPECT_NEAR(student_p(10, 30), 4.575251408229618e-11, 1e-20);
  EXPECT_DOUBLE_EQ(student_p(0, 7), 1);
  EXPECT_NEAR(student_critical(0.05, 4), 2.7764451051977943, 1e-9);
  EXPECT_NEAR(student_critical(0.05, 2.7), 3.3921483831737524, 1e-9);
}

TEST(Welch, MatchesReference) {
  const std::vector<double> x = {1, 2, 3, 4}, y = {2, 4, 6, 9};
  EXPECT_NEAR(welch_p(x, y), 0.16470207962805658, 1e-12);
}

TEST(Welch, NeedsTwoValuesASideAndSpread) {
  EXPECT_TRUE(std::isnan(welch_p(std::vector<double>{1}, std::vector<double>{1, 2})));
  EXPECT_TRUE(std::isnan(welch_p(std::vector<double>{1, 1}, std::vector<double>{2, 2})));
}

TEST(Holm, StepsDownAndNeverDecreases) {
  const std::vector<double> adjusted = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);  // 0.04 * 1, raised to the one before it
}

TEST(Holm, CapsAtOneAndSkipsNaN) {
  const std::vector<double> adjusted = holm(std::vector<double>{0.6, NAN, 0.7});
  EXPECT_DOUBLE_EQ(adjusted[0], 1);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_DOUBLE_EQ(adjusted[2], 1);
}

}  // namespace
}  // namespace tarl::statistics
