// SPDX-License-Identifier: MIT
#include <cmath>

#include "report/results_in_memory.h"
#include <gtest/gtest.h>

#include "tarl/report/analysis/analysis.h"

namespace tarl::report {
namespace {

using test::results_of;

// R_min is 0 and R_max 8 in both games, so that nAUC is
//   game 0: 0.25, 0.50 against 0.75, 1.00     game 1: 0.50, 1.00 against 1.00, 0.50
const std::vector<std::vector<std::vector<double>>> kTwoGames = {{{2, 4}, {6, 8}},
                                                                 {{4, 8}, {8, 4}}};

TEST(EnvironmentPair, HasTheNumbersOfItsSeeds) {
  const study::Results results = results_of(kTwoGames);
  const Analysis analysis = analyse(results);
  ASSERT_EQ(analysis.pairs.size(), 1U);
  ASSERT_EQ(analysis.pairs[0].environments.size(), 2U);
  const EnvironmentPair& first = analysis.pairs[0].environments[0];
  EXPECT_EQ(first.base, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(first.compared, (std::vector<double>{0.75, 1}));
  EXPECT_DOUBLE_EQ(first.difference, 0.5);
  EXPECT_DOUBLE_EQ(first.gain_percent, 100 * 0.5 / 0.375);
  EXPECT_EQ(first.wins, 2U);
  EXPECT_EQ(first.ties, 0U);
  EXPECT_TRUE(std::isnan(first.effect));  // both seeds gain 0.5: no spread
  EXPECT_FALSE(first.seeds_needed);
  EXPECT_DOUBLE_EQ(first.permutation_p, 0.5);              // 2 of 4 sign patterns
  EXPECT_NEAR(first.welch_p, 1 - 2 / std::sqrt(5), 1e-9);  // t = sqrt(8) with 2 degrees of freedom
  EXPECT_DOUBLE_EQ(first.ci.low, 0.5);
  EXPECT_DOUBLE_EQ(first.ci.high, 0.5);

  const EnvironmentPair& second = analysis.pairs[0].environments[1];
  EXPECT_DOUBLE_EQ(second.difference, 0);
  EXPECT_EQ(second.wins, 1U);
  EXPECT_DOUBLE_EQ(second.effect, 0);
  EXPECT_DOUBLE_EQ(second.permutation_p, 1);
  EXPECT_DOUBLE_EQ(second.welch_p, 1);
  // Holm: the smaller p twice, the larger as it is.
  EXPECT_DOUBLE_EQ(first.permutation_holm, 1);
  EXPECT_NEAR(first.welch_holm, 2 - 4 / std::sqrt(5), 1e-9);
  EXPECT_DOUBLE_EQ(second.welch_holm, 1);
}

TEST(Pair, AveragesOverEnvironments) {
  const study::Results results = results_of(kTwoGames);
  const Analysis analysis = analyse(results);
  const Pair& pair = analysis.pairs[0];
  EXPECT_DOUBLE_EQ(pair.base_mean, (0.375 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(pair.compared_mean, (0.875 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(pair.difference.value, 0.25);
  EXPECT_DOUBLE_EQ(pair.improvement.value, (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(pair.gains.mean_of_ratios, 100 * (0.5 / 0.375 + 0) / 2);
  EXPECT_DOUBLE_EQ(pair.gains.ratio_of_means, 100 * 0.25 / 0.5625);
  EXPECT_EQ(pair.fewest_seeds, 2U);
  EXPECT_EQ(pair.environment_wins, 1U);
  EXPECT_EQ(pair.seed_wins, 3U);
  EXPECT_EQ(pair.seed_count, 4U);
  // Differences 0.5, 0.5, 0.5, -0.5: |sum| >= 1 with 0, 1, 3 or 4 signs flipped, 10 of 16.
  EXPECT_DOUBLE_EQ(pair.pooled_p, 0.625);
  EXPECT_DOUBLE_EQ(pair.pooled_holm, 0.625);
  // Their mean is half their standard deviation: 34 pairs, 17 in each of two games.
  EXPECT_EQ(pair.seeds_needed, 17);
  EXPECT_EQ(pair.verdict, Verdict::kNotShown);
}

TEST(Pairs, AreAlignmentThenControlsThenTheRestAndCorrectedByFamily) {
  const std::vector<double> low = {1, 2, 1, 2, 1, 2}, high = {7, 8, 7, 8, 7, 8};
  study::Results results = results_of({{low, high, low, high}});
  for (std::size_t a = 0; a < 4; ++a) {
    results.algorithms[a].label = std::string(1, static_cast<char>('A' + a));
  }
  results.algorithms[0].reference = 3;   // told by the study
  results.algorithms[1].controls = {2};  // a larger batch
  results.algorithms[2].mode.reset();
  results.algorithms[2].reference.reset();
  results.algorithms[3].reference.reset();
  const Analysis analysis = analyse(results);
  ASSERT_EQ(analysis.pairs.size(), 3U);
  const PairKind kinds[] = {PairKind::kAlignment, PairKind::kControl, PairKind::kOther};
  const std::size_t compared[] = {1, 1, 0}, base[] = {0, 2, 3};
  const Family families[] = {Family::kPrimary, Family::kSecondary, Family::kSecondary};
  const double corrected[] = {2.0 / 64, 4.0 / 64, 4.0 / 64};  // of one and of two comparisons
  const Verdict verdicts[] = {Verdict::kBetter, Verdict::kNotShown, Verdict::kNotShown};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(analysis.pairs[i].kind, kinds[i]) << i;
    EXPECT_EQ(analysis.pairs[i].compared, compared[i]) << i;
    EXPECT_EQ(analysis.pairs[i].base, base[i]) << i;
    EXPECT_EQ(analysis.pairs[i].family, families[i]) << i;
    EXPECT_DOUBLE_EQ(analysis.pairs[i].pooled_p, 2.0 / 64) << i;  // six of six
    EXPECT_DOUBLE_EQ(analysis.pairs[i].pooled_holm, corrected[i]) << i;
    EXPECT_EQ(analysis.pairs[i].verdict, verdicts[i]) << i;
  }
}

TEST(EnvironmentPair, MatchesSeedsInAnyOrder) {
  study::Results results = results_of({{{2, 4, 6}, {8, 6, 4}}});
  for (std::size_t i = 0; i < 3; ++i) results.runs[3 + i].seed = static_cast<std::int64_t>(2 - i);
  const Analysis analysis = analyse(results);
  const EnvironmentPair& pair = analysis.pairs[0].environments[0];
  EXPECT_EQ(pair.base, (std::vector<double>{0.25, 0.5, 0.75}));
  EXPECT_EQ(pair.compared, (std::vector<double>{0.5, 0.75, 1}));
}

}  // namespace
}  // namespace tarl::report
