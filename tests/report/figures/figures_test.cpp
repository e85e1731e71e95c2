// SPDX-License-Identifier: MIT
#include "tarl/report/figures/figures.h"

#include <set>
#include <sstream>

#include "report/results_in_memory.h"
#include <gtest/gtest.h>

namespace tarl::report {
namespace {

struct Agent {
  const char* label;
  bool aligned;
  std::optional<std::size_t> reference;
};

// The styles of a study with these agents; every one has a run in its one environment.
std::vector<std::string> styles_of(const std::vector<Agent>& agents) {
  study::Results results;
  results.environments.push_back({"game/a", {10, 20}, {0, 0, "test", true}});
  results.cells.emplace_back();
  for (const Agent& agent : agents) {
    study::Algorithm algorithm;
    algorithm.label = agent.label;
    if (agent.aligned) algorithm.mode = align::Mode::kFilter;
    algorithm.reference = agent.reference;
    results.algorithms.push_back(algorithm);
    study::Run run;
    run.timesteps = {10, 20};
    run.mean_returns = {1, 2};
    results.cells[0].push_back({results.runs.size()});
    results.runs.push_back(run);
  }
  const Analysis analysis = analyse(results, {50, 0.95});
  return make_scene(analysis).styles;
}

TEST(Scene, OnePairSharesAColourAndTheBaselineIsDashed) {
  EXPECT_EQ(styles_of({{"DQN", false, {}}, {"TA-DQN", true, 0}}),
            (std::vector<std::string>{"c0 dash", "c0"}));
}

TEST(Scene, ConditionsOfSeveralPairsHaveColoursOfTheirOwn) {
  EXPECT_EQ(
      styles_of({{"DQN", false, {}}, {"TA-DQN", true, 0}, {"PER", false, {}}, {"TA-PER", true, 2}}),
      (std::vector<std::string>{"c0 dash", "c1", "c2 dash", "c3"}));
}

TEST(OverallFigure, SampleEfficiencyGoesStraightFromEvaluationToEvaluation) {
  study::Results results = test::results_of({{{1}, {2}}});
  for (study::Run& run : results.runs) run.mean_returns = run.curve = {1, 9};
  const Analysis analysis = analyse(results, {50, 0.95});
  const std::string svg = overall_figure(make_scene(analysis)).panels.at(0).svg;
  const std::string marker = "class=\"line\" d=\"M";
  ASSERT_NE(svg.find(marker), std::string::npos);
  std::istringstream path(svg.substr(svg.find(marker) + marker.size()));
  double x = 0, y = 0, last_y = 1e9;
  int points = 0;
  for (char separator = 'L'; separator == 'L' && path >> x >> y >> separator; ++points) {
    EXPECT_LT(y, last_y) << points;  // upwards on the screen
    last_y = y;
  }
  EXPECT_EQ(points, 26);  // from the first of two evaluations, at half of the training
}

TEST(Scene, OneBaselineOfManyIsGrey) {
  EXPECT_EQ(styles_of({{"DQN", false, {}}, {"TA 1", true, 0}, {"TA 3", true, 0}}),
            (std::vector<std::string>{"muted dash", "c0", "c1"}));
}

TEST(Scene, SeveralBaselinesOfManyStayApart) {
  const std::vector<std::string> styles = styles_of({{"A", false, {}},
                                                     {"TA-A 1", true, 0},
                                                     {"TA-A 3", true, 0},
                                                     {"B", false, {}},
                                                     {"TA-B 1", true, 3},
                                                     {"TA-B 3", true, 3}});
  EXPECT_EQ(std::set<std::string>(styles.begin(), styles.end()).size(), styles.size());
  EXPECT_EQ(styles[5], "c5");
}

TEST(Scene, MoreConditionsThanColoursAreHeavyBesides) {
  EXPECT_EQ(condition_style(9, false), "c9");
  EXPECT_EQ(condition_style(10, true), "c0 heavy dash");
}

TEST(ScenariosFigure, ScoresAreThoseOfTheEquation) {
  const Figure figure = scenarios_figure();
  ASSERT_EQ(figure.panels.size(), 2U);
  for (const char* text : {"A = 1.00", "A = 0.50", "A = 0.36"}) {
    EXPECT_NE(figure.panels[0].svg.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tarl::report
