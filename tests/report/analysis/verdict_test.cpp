// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/verdict.h"

#include "report/results_in_memory.h"
#include <gtest/gtest.h>

namespace tarl::report {
namespace {

using test::results_of;

TEST(Verdict, ManyClearWinsAreBetter) {
  const study::Results results =
      results_of({{{1, 2, 1, 2, 1}, {5, 6, 5, 7, 5}}, {{1, 2, 1, 2, 1}, {4, 6, 5, 6, 5}}});
  const Analysis analysis = analyse(results);
  EXPECT_EQ(analysis.pairs[0].verdict, Verdict::kBetter);
  EXPECT_DOUBLE_EQ(analysis.pairs[0].pooled_p, 2.0 / 1024);
  EXPECT_EQ(analysis.pairs[0].seed_wins, 10U);
  EXPECT_DOUBLE_EQ(analysis.pairs[0].improvement.value, 1);
  EXPECT_NE(what_would_change(analysis, analysis.pairs[0]).find("No single environment"),
            std::string::npos);
}

TEST(Verdict, ManyClearLossesAreWorse) {
  const study::Results results = results_of({{{5, 6, 5, 7, 5, 6}, {1, 2, 1, 2, 1, 2}}});
  EXPECT_EQ(analyse(results).pairs[0].verdict, Verdict::kWorse);
}

TEST(Verdict, FiveWinsInOneGameAreNotEnough) {
  const study::Results results = results_of({{{1, 2, 1, 2, 1}, {5, 6, 5, 7, 5}}});
  const Analysis analysis = analyse(results);
  EXPECT_DOUBLE_EQ(analysis.pairs[0].pooled_p, 0.0625);
  EXPECT_EQ(analysis.pairs[0].verdict, Verdict::kNotShown);
  EXPECT_NE(what_would_change(analysis, analysis.pairs[0]).find("More seeds"), std::string::npos);
}

TEST(Verdict, OneSeedCannotTell) {
  const study::Results results = results_of({{{1}, {5}}, {{1}, {5}}});
  const Analysis analysis = analyse(results);
  EXPECT_EQ(analysis.pairs[0].verdict, Verdict::kCannotTell);
  EXPECT_FALSE(analysis.pairs[0].difference.ci.known());
  EXPECT_NE(headline(analysis).find("cannot tell in 1 of 1"), std::string::npos);
}

TEST(Verdict, ALoneGameIsNamedWhenTheResultRestsOnIt) {
  const study::Results results = results_of({{{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {9, 8, 9, 8, 9, 9}},
                                             {{5, 5.1, 5, 5.1, 5, 5.1}, {4.9, 5, 4.9, 5, 4.9, 5}}});
  const Analysis analysis = analyse(results);
  EXPECT_EQ(analysis.pairs[0].verdict, Verdict::kBetter);
  // The six small losses change no sign pattern that the six large wins decide.
  EXPECT_DOUBLE_EQ(analysis.pairs[0].pooled_p, 2.0 / 64);
  EXPECT_NE(what_would_change(analysis, analysis.pairs[0]).find("It rests on 0"),
            std::string::npos);
}

TEST(Verdict, WhatSeedsCanShowIsAboutThoseThatAreCompared) {
  Analysis analysis;
  analysis.fewest_seeds = 1;  // of an algorithm that is compared with nothing
  analysis.most_seeds = 3;
  EXPECT_EQ(seeds_text(analysis), "1 to 3 seeds");
  EXPECT_EQ(compared_seeds(analysis), 1U);
  analysis.pairs.resize(3);
  analysis.pairs[0].fewest_seeds = 3;
  analysis.pairs[1].fewest_seeds = 2;
  analysis.pairs[2].fewest_seeds = 1;
  analysis.pairs[2].family = Family::kSecondary;
  EXPECT_EQ(compared_seeds(analysis), 2U);
  EXPECT_TRUE(seeds_note(analysis).starts_with("2 seeds: "));
}

// One comparison with these mean differences in the environments "A", "B", ...
Analysis analysis_of(Verdict verdict, const std::vector<double>& differences) {
  Analysis analysis;
  Pair pair;
  pair.verdict = verdict;
  double sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    EnvironmentAnalysis environment;
    environment.title = std::string(1, static_cast<char>('A' + i));
    analysis.environments.push_back(environment);
    EnvironmentPair one;
    one.environment = i;
    one.base = one.compared = {0};
    one.difference = differences[i];
    pair.environments.push_back(one);
    sum += differences[i];
  }
  pair.difference.value = sum / static_cast<double>(differences.size());
  analysis.pairs = {pair};
  return analysis;
}

std::string change(const Analysis& analysis) {
  return what_would_change(analysis, analysis.pairs[0]);
}

TEST(WhatWouldChange, LeavesOutEachEnvironmentInTurn) {
  // Without A (0.1 + 0.2) / 2, without B (0.4 + 0.2) / 2, without C (0.4 + 0.1) / 2.
  EXPECT_EQ(change(analysis_of(Verdict::kBetter, {0.4, 0.1, 0.2})),
            "No single environment: leaving any one out, the difference stays between +0.150 and "
            "+0.300 (least without A).");
  EXPECT_EQ(change(analysis_of(Verdict::kWorse, {-0.4, -0.1, -0.2})),
            "No single environment: leaving any one out, the difference stays between −0.300 and "
            "−0.150 (least without A).");
}

TEST(WhatWouldChange, NamesTheEnvironmentThatDecides) {
  EXPECT_EQ(change(analysis_of(Verdict::kBetter, {-0.1, 0.5})),
            "It rests on B: without it the difference is −0.100.");
  EXPECT_EQ(change(analysis_of(Verdict::kWorse, {-0.5, 0.1})),
            "It rests on A: without it the difference is +0.100.");
  EXPECT_EQ(change(analysis_of(Verdict::kBetter, {0.5})),
            "Other environments: this is one game, and says nothing about the next.");
}

TEST(WhatWouldChange, CountsTheSeedsThatAreNeeded) {
  Analysis analysis = analysis_of(Verdict::kNotShown, {0.1, 0.2});
  Pair& pair = analysis.pairs[0];
  pair.fewest_seeds = 5;
  pair.seeds_needed = 17;
  EXPECT_NE(change(analysis).find("about 17 per environment (now 5)"), std::string::npos);
  pair.seeds_needed = 3;  // fewer than there are did not show it: one more at least
  EXPECT_NE(change(analysis).find("about 6 per environment (now 5)"), std::string::npos);
  pair.seeds_needed.reset();
  EXPECT_NE(change(analysis).find("a thousand pairs would not show it"), std::string::npos);
  for (EnvironmentPair& one : pair.environments) one.ties = one.base.size();
  EXPECT_NE(change(analysis).find("every pair of runs scored exactly the same"), std::string::npos);
}

TEST(Headline, CountsVerdictsOfAlignedAgentsAlone) {
  Analysis analysis;
  const auto add = [&](PairKind kind, Verdict verdict) {
    analysis.pairs.emplace_back();
    analysis.pairs.back().kind = kind;
    analysis.pairs.back().verdict = verdict;
  };
  EXPECT_EQ(headline(analysis),
            "Nothing to compare yet: no two algorithms share an environment and a seed.");
  add(PairKind::kOther, Verdict::kWorse);
  EXPECT_EQ(headline(analysis), "Against the baseline: worse in 1 of 1 comparison.");
  EXPECT_EQ(family_note(analysis), "Holm's family: the 1 comparison of this report.");
  analysis.pairs.back().family = Family::kSecondary;
  add(PairKind::kAlignment, Verdict::kNotShown);
  add(PairKind::kAlignment, Verdict::kBetter);
  add(PairKind::kAlignment, Verdict::kBetter);
  EXPECT_EQ(headline(analysis),
            "Aligned agents against their baselines: better in 2 of 3 comparisons, not shown in "
            "1.");
  EXPECT_EQ(family_note(analysis),
            "Holm's primary family: the 3 comparisons of aligned agents with their baselines; "
            "secondary family: the other 1.");
}

TEST(LeftOutNote, NamesGamesNobodyBeatsRandomIn) {
  Analysis analysis = analysis_of(Verdict::kBetter, {1, 1, 1});
  analysis.environments[0].bounds = {0, 1};
  analysis.environments[1].bounds = {1, 1};
  analysis.environments[2].bounds = {2, 1};
  EXPECT_TRUE(left_out_note(analysis).ends_with("random baseline there: B, C."));
  analysis.environments.resize(1);
  EXPECT_EQ(left_out_note(analysis), "");
}

}  // namespace
}  // namespace tarl::report
