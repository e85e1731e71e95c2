// SPDX-License-Identifier: MIT
#include "tarl/report/analysis.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/report/verdict.h"

namespace tarl::report {
namespace {

// A study in memory: scores[environment][algorithm][seed] is a flat curve at that height.
study::Results results_of(const std::vector<std::vector<std::vector<double>>>& scores) {
  study::Results results;
  for (std::size_t env = 0; env < scores.size(); ++env) {
    study::Environment environment;
    environment.name = "game/" + std::to_string(env);
    environment.timesteps = {10, 20};
    environment.baseline = {0, 0, "test", true};
    results.environments.push_back(environment);
    results.cells.emplace_back();
    for (const auto& seeds : scores[env]) {
      results.cells.back().emplace_back();
      for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
        study::Run run;
        run.env = environment.name;
        run.seed = static_cast<std::int64_t>(seed);
        run.timesteps = environment.timesteps;
        run.scores = {seeds[seed], seeds[seed]};
        results.cells.back().back().push_back(results.runs.size());
        results.runs.push_back(run);
      }
    }
  }
  for (std::size_t a = 0; a < scores[0].size(); ++a) {
    study::Algorithm algorithm;
    algorithm.base = "dqn";
    algorithm.replay = "uniform";
    algorithm.label = a == 0 ? "DQN" : "TA-DQN";
    algorithm.mode = a == 0 ? "" : "filter";
    if (a > 0) algorithm.baseline = 0;
    results.algorithms.push_back(algorithm);
  }
  return results;
}

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

TEST(Analysis, WithoutAlignmentEverythingIsComparedWithTheFirst) {
  study::Results results = results_of({{{1, 2}, {3, 4}}});
  results.algorithms[1].mode.clear();
  results.algorithms[1].baseline.reset();
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
