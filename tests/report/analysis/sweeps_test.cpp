// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/sweeps.h"

#include "report/report_fixture.h"

namespace tarl::report {
namespace {

class Sweeps : public ReportTest {
 protected:
  void write_condition(double margin, const std::string& extra = "",
                       const std::string& game = kGames[0]) {
    for (const int seed : {0, 1}) {
      RunSpec spec;
      spec.env = game;
      spec.algo = margin > 0 ? "ta-dqn" : "dqn";
      spec.margin = margin;
      spec.seed = seed;
      spec.extra = extra;
      const std::string name = std::to_string(margin) + study::slug(extra);
      write_run(runs() / game / name / ("seed" + std::to_string(seed)), spec);
    }
  }

  // "setting: label value value ...; ..." of every sweep.
  std::vector<std::string> found() {
    const study::Results results = study::read_results(runs());
    std::vector<std::string> out;
    for (const Sweep& sweep : find_sweeps(analyse(results, {50, 0.95}))) {
      std::string text = sweep.setting + ":";
      for (const SweepLine& line : sweep.lines) {
        text += " [" + line.label + "]";
        for (const auto& [value, algorithm] : line.at) text += " " + format_number(value);
      }
      out.push_back(text);
    }
    return out;
  }
};

TEST_F(Sweeps, AMarginStartsAtThePlainAgent) {
  for (const double margin : {0.0, 1.0, 3.0}) write_condition(margin);
  EXPECT_EQ(found(), std::vector<std::string>{"align.margin: [TA-DQN] 0 1 3"});
}

TEST_F(Sweeps, TwoValuesAreNoCurve) {
  for (const double margin : {0.0, 1.0}) write_condition(margin);
  EXPECT_EQ(found(), std::vector<std::string>{});
}

TEST_F(Sweeps, AGridHasALineForEveryOtherSetting) {
  for (const double margin : {0.0, 1.0, 3.0}) {
    for (const char* interval : {"250", "1000", "4000"}) {
      write_condition(margin, std::string("target_update_interval = ") + interval);
    }
  }
  EXPECT_EQ(
      found(),
      (std::vector<std::string>{
          "align.margin: [target_update_interval=1000] 0 1 3 [target_update_interval=250] 0 1 "
          "3 [target_update_interval=4000] 0 1 3",
          "target_update_interval: [DQN] 250 1000 4000 [TA-DQN align.margin=1] 250 1000 4000 "
          "[TA-DQN align.margin=3] 250 1000 4000"}));
}

TEST_F(Sweeps, WhatChangesTogetherIsNoSweepOfEither) {
  write_condition(1, "learning_rate = 1e-3\ntarget_update_interval = 100");
  write_condition(1, "learning_rate = 2e-3\ntarget_update_interval = 200");
  write_condition(1, "learning_rate = 3e-3\ntarget_update_interval = 300");
  EXPECT_EQ(found(), std::vector<std::string>{});
}

TEST_F(Sweeps, AndSeedsAreFiguresOfTheReport) {
  for (const std::string& game : {kGames[0], kGames[1]}) {
    for (const double margin : {0.0, 1.0, 3.0}) write_condition(margin, "", game);
  }
  const std::string page = read_text(write().page);
  EXPECT_NE(page.find("Sensitivity to align.margin"), std::string::npos);
  EXPECT_NE(page.find("Seed by seed"), std::string::npos);
  EXPECT_NE(page.find("class=\"seed\""), std::string::npos);
  const fs::path files = runs().parent_path() / "out" / "report_files";
  EXPECT_TRUE(fs::exists(files / "sensitivity-align.margin.svg"));
  EXPECT_TRUE(fs::exists(files / "seeds.svg"));
}

}  // namespace
}  // namespace tarl::report
