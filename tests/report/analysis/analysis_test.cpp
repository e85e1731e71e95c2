// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/analysis.h"

#include "report/results_in_memory.h"
#include <gtest/gtest.h>

namespace tarl::report {
namespace {

using test::results_of;

TEST(Analysis, NormalisesWithTheBestOfTheTableAndSaysWhoSetIt) {
  const study::Results results = results_of({{{2, 4}, {6, 8}}});
  const Analysis analysis = analyse(results);
  const EnvironmentAnalysis& env = analysis.environments[0];
  EXPECT_DOUBLE_EQ(env.bounds.high, 8);
  EXPECT_EQ(env.high_source, "TA-DQN, seed 1, step 10");
  EXPECT_DOUBLE_EQ(env.cells[0].measures[kNauc].mean, (0.25 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(env.cells[1].measures[kPeak].mean, 7);
}

TEST(Analysis, ComparesSeedsThatBothHave) {
  study::Results results = results_of({{{2, 4, 6}, {6, 8, 8}}});
  results.runs[3].seed = 9;  // the aligned agent's first run
  const Analysis analysis = analyse(results);
  ASSERT_EQ(analysis.pairs.size(), 1U);
  const EnvironmentPair& pair = analysis.pairs[0].environments[0];
  EXPECT_EQ(pair.base.size(), 2U);
  EXPECT_DOUBLE_EQ(pair.difference, ((8 - 4) + (8 - 6)) / 2.0 / 8.0);
  EXPECT_EQ(pair.wins, 2U);
}

TEST(Analysis, WithoutAlignmentEverythingIsComparedWithTheFirst) {
  study::Results results = results_of({{{1, 2}, {3, 4}}});
  results.algorithms[1].mode.reset();
  results.algorithms[1].reference.reset();
  const Analysis analysis = analyse(results);
  ASSERT_EQ(analysis.pairs.size(), 1U);
  EXPECT_EQ(analysis.pairs[0].kind, PairKind::kOther);
}

TEST(Analysis, AGameNobodyBeatsRandomInIsLeftOutOfAggregates) {
  study::Results results = results_of({{{1, 2}, {3, 4}}, {{-1, -2}, {-1, -1}}});
  const Analysis analysis = analyse(results);
  EXPECT_EQ(analysis.nauc[0].environments, 1U);
  EXPECT_EQ(analysis.pairs[0].environments.size(), 1U);
  EXPECT_DOUBLE_EQ(analysis.environments[1].cells[0].measures[kNauc].mean, 0);
}

}  // namespace
}  // namespace tarl::report
