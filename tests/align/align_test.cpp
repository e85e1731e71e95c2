// SPDX-License-Identifier: MIT
#include "tarl/align/align.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl::align {
namespace {

struct Vector {
  double online;
  double offline;
  double score;
  Scenario scenario;
};

constexpr Scenario kI = Scenario::kPerfect, kII = Scenario::kUndershoot,
                   kIII = Scenario::kOvershoot, kIV = Scenario::kMisaligned;

// Computed by hand in double precision.
constexpr Vector kVectors[] = {
    {1, 1, 1, kI},
    {-0.5, -0.5, 1, kI},
    {2, 1, 1, kII},
    {-3, -0.001, 1, kII},
    {1, 2, 0.4999999975, kIII},
    {-1, -1.5, 0.666666662222, kIII},
    {0.1, 1, 0.099999999, kIII},
    {1, 1.0000001, 0.99999989, kIII},
    {1, -1, 0.333333332222, kIV},
    {-2, 0.5, 0.444444443457, kIV},
    {0.5, -2, 0.166666666111, kIV},
    {0.01, -5, 0.00199203186854, kIV},
    {1, 0, 0.4999999975, kIV},
    {0, 1, 0, kIV},
    {0, 0, 0, kI},
    {0, -3, 0, kIV},
    {1e-8, 2e-8, 0.333333333333, kIII},
    {1e-9, -1e-9, 0.0769230769231, kIV},
    {1e-8, 1e-8, 1, kI},
    {5e-9, 2e-8, 0.166666666667, kIII},
    {-0.37, -0.52, 0.711538447855, kIII},
    {0.25, 0.75, 0.333333328889, kIII},
    {4, -0.25, 0.484848484261, kIV},
    {1e6, 3e6, 0.333333333333, kIII},
    {1e-25, 1e-25, 1, kI},
};

TEST(AlignmentScore, MatchesTheHandComputedVectors) {
  for (const Vector& v : kVectors) {
    EXPECT_NEAR(alignment_score(v.online, v.offline), v.score, 1e-11)
        << v.online << " " << v.offline;
    EXPECT_EQ(scenario(v.online, v.offline), v.scenario) << v.online << " " << v.offline;
  }
}

TEST(AlignmentScore, IsZeroAndMisalignedForErrorsThatAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const double bad : {inf, -inf, nan}) {
    for (const auto& [d, o] : {std::pair{bad, 1.0}, {1.0, bad}, {bad, bad}}) {
      EXPECT_EQ(alignment_score(d, o), 0);
      EXPECT_EQ(scenario(d, o), kIV);
    }
  }
}

TEST(AlignmentScore, SurvivesTheLargestAndSmallestNumbers) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(alignment_score(huge, -huge), 1.0 / 3, 1e-12);
  EXPECT_EQ(alignment_score(tiny, tiny), 1);
  EXPECT_EQ(scenario(tiny, -tiny), kIV);
}

class RandomErrors : public ::testing::Test {
 protected:
  // Errors over many magnitudes, with zeros and equal pairs among them.
  double draw() {
    if (rng_.below(20) == 0) return 0;
    const double size = std::exp(20 * rng_.uniform() - 12);
    return rng_.below(2) == 0 ? size : -size;
  }

  Rng rng_ = seeded(7).fork("errors");
};

TEST_F(RandomErrors, ScoreHasThePropertiesOfTheDefinition) {
  for (int i = 0; i < 200'000; ++i) {
    const double d = draw(), o = rng_.below(10) == 0 ? d : draw();
    const double a = alignment_score(d, o);
    ASSERT_GE(a, 0);
    ASSERT_LE(a, 1);
    ASSERT_EQ(a == 0, d == 0);
    ASSERT_EQ(a, alignment_score(-d, -o));
    ASSERT_GE(a, std::fabs(d) / (std::fabs(d) + std::fabs(d - o) + kEpsilon) - 1e-15);
    if (!same_sign(d, o)) {
      ASSERT_LE(a, 0.5);
    }
    if (same_sign(d, o) && std::fabs(d) >= std::fabs(o)) {
      ASSERT_EQ(a, 1);
    }
    const double c = 0.5 + rng_.uniform();
    if (d != 0) {
      ASSERT_NEAR(alignment_score(c * d, c * o), a,
                  2 * kEpsilon / (std::min(1.0, c) * std::fabs(d)) + 1e-12);
    }
  }
}

TEST_F(RandomErrors, LargerOvershootNeverScoresHigher) {
  for (int i = 0; i < 10'000; ++i) {
    const double d = std::fabs(draw()) + 1e-3, ratio = 3 * rng_.uniform(),
                 more = ratio + rng_.uniform();
    ASSERT_GE(alignment_score(d, ratio * d) + 1e-15, alignment_score(d, more * d));
    ASSERT_GE(alignment_score(d, -ratio * d) + 1e-15, alignment_score(d, -more * d));
  }
}

TEST(AlignmentScore, IsNotSymmetric) {
  EXPECT_NEAR(alignment_score(1, 2), 0.5, 1e-8);
  EXPECT_EQ(alignment_score(2, 1), 1);
}

TEST(Oversampling, FloorsTheMargin) {
  const double margins[] = {0.1, 0.5, 1, 3};
  const int expected[3][4] = {{3, 16, 32, 96}, {25, 128, 256, 768}, {0, 2, 5, 15}};
  const int sizes[] = {32, 256, 5};
  for (int s = 0; s < 3; ++s) {
    for (int k = 0; k < 4; ++k) EXPECT_EQ(oversampling(margins[k], sizes[s]), expected[s][k]);
  }
}

TEST(KeepBest, TakesTheBestAndBreaksTiesByPosition) {
  const double d[] = {1, .5, -.2, 0, 2, .3}, o[] = {.5, 1, .4, 0, -1, .3};
  std::vector<double> scores;
  for (int i = 0; i < 6; ++i) scores.push_back(alignment_score(d[i], o[i]));
  EXPECT_EQ(keep_best(scores, 3), (std::vector<std::int32_t>{0, 5, 1}));
  EXPECT_EQ(keep_best(scores, 2), (std::vector<std::int32_t>{0, 5}));
  EXPECT_EQ(keep_best(std::vector<double>(5, 1.0), 3), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_TRUE(keep_best(scores, 0).empty());
}

TEST_F(RandomErrors, FilterNeverRejectsABetterRowThanItKeeps) {
  for (int round = 0; round < 500; ++round) {
    std::vector<double> scores;
    for (int i = 0; i < 64; ++i) scores.push_back(alignment_score(draw(), draw()));
    const std::vector<std::int32_t> kept = keep_best(scores, 32);
    ASSERT_EQ(kept.size(), 32U);
    std::vector<bool> is_kept(64, false);
    double worst = 1;
    for (const std::int32_t row : kept) {
      is_kept[static_cast<std::size_t>(row)] = true;
      worst = std::min(worst, scores[static_cast<std::size_t>(row)]);
    }
    for (std::size_t i = 0; i < 64; ++i) {
      if (!is_kept[i]) {
        ASSERT_LE(scores[i], worst);
      }
    }
    // A longer list of candidates never lowers the k-th best.
    const std::vector<double> first(scores.begin(), scores.begin() + 40);
    ASSERT_LE(first[static_cast<std::size_t>(keep_best(first, 32).back())], worst);
  }
}

TEST(ScoreCandidates, WorksFromTargetsAsInTheTransitionVectors) {
  // R, d, Q(s,a), v_online, v_offline with gamma 0.99.
  const double rows[5][5] = {
      {1, 0, 2, 3, 2.5}, {0, 0, 1, .5, 1.5}, {1, 1, .4, 9, 9}, {1, 1, 1, 5, 7}, {0, 0, .5, .6, 2}};
  const double expected[] = {1, 0.33779263988, 1, 0, 0.0635135131};
  std::vector<float> q, on, off;
  for (const auto& r : rows) {
    const double discount = (1 - r[1]) * 0.99;
    q.push_back(static_cast<float>(r[2]));
    on.push_back(static_cast<float>(r[0] + discount * r[3]));
    off.push_back(static_cast<float>(r[0] + discount * r[4]));
  }
  Scores scores;
  score_candidates({5, 1, q, on, off}, scores);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(scores.score[i], expected[i], 2e-6);
  EXPECT_EQ(scores.nonfinite, 0);
}

TEST(ScoreCandidates, TakesTheMinimumOverCritics) {
  // The soft actor-critic vector: y_off 4.062, y_on 4.458, Q = (3, 6).
  const std::vector<float> q = {3, 6}, on = {4.458F, 4.458F}, off = {4.062F, 4.062F};
  Scores scores;
  score_candidates({1, 2, q, on, off}, scores);
  EXPECT_NEAR(scores.score[0], 0.7956656306, 1e-6);
  EXPECT_EQ(scores.scenario[0], kIII);
}

TEST(ScoreCandidates, CountsRowsThatAreNotFiniteOnce) {
  const float nan = std::nanf("");
  const std::vector<float> q = {0, 0, 0, 0}, on = {nan, 1, nan, 1}, off = {1, 1, 1, 1};
  Scores scores;
  score_candidates({2, 2, q, on, off}, scores);
  EXPECT_EQ(scores.nonfinite, 1);
  EXPECT_EQ(scores.score[0], 0);
  EXPECT_EQ(scores.score[1], 1);
}

TEST(ScoreCandidates, IsZeroOrOneRightAfterASync) {
  const std::vector<float> q = {0.5F, 1, 2}, y = {1, 1, -3};
  Scores scores;
  score_candidates({3, 1, q, y, y}, scores);
  EXPECT_EQ(scores.score, (std::vector<double>{1, 0, 1}));
}

}  // namespace
}  // namespace tarl::align
