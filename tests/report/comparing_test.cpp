// SPDX-License-Identifier: MIT
#include <regex>

#include "report/report_fixture.h"

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/statistics/hypothesis_tests.h"

namespace tarl::report {
namespace {

using ComparingTest = ReportTest;

TEST_F(ComparingTest, EveryComparisonIsInOneFile) {
  synthetic::write_replay_study(runs(), {kGames[0], kGames[1]}, 3, 12);
  const WrittenReport written = write();
  const Json json = parse_json(read_text(written.files / "comparisons.json"));
  EXPECT_EQ(json.at("bootstrap_draws"), 500);
  const Json& all = json.at("comparisons");
  ASSERT_EQ(all.size(), 3U * (1 + 2));
  const std::string page = read_text(written.page);
  std::vector<double> raw, corrected;
  for (const Json& one : all) {
    if (one.at("scope") != "overall") continue;
    EXPECT_EQ(one.at("family"), "primary");
    raw.push_back(one.at("sign_flip_p").get<double>());
    corrected.push_back(one.at("sign_flip_p_holm").get<double>());
    EXPECT_NE(page.find(p_value(raw.back()) + " raw, " + p_value(corrected.back()) + " with Holm"),
              std::string::npos);
  }
  EXPECT_EQ(corrected, statistics::holm(raw));
  EXPECT_EQ(count(read_text(written.files / "comparisons.csv"), "\n"), 1 + all.size());
}

TEST_F(ComparingTest, RunsWithoutUpdatesAreMarkedAndNeverBest) {
  for (const int seed : {0, 1}) {
    RunSpec spec;
    spec.extra = "learning_starts = 300\n";
    spec.seed = seed;
    spec.constant = 5;
    write_run(runs() / "plain" / std::to_string(seed), spec);
    spec.constant = 9;  // lucky, and not learned
    spec.algo = "ta-dqn";
    spec.margin = 1;
    spec.evaluations = spec.planned = 2;
    spec.steps = 200;
    write_run(runs() / "untrained" / std::to_string(seed), spec);
  }
  const WrittenReport written = write();
  const std::string page = read_text(written.page);
  expect_all(page, {"<small>no update</small>", "Without a single update", "2 untrained runs",
                    "evaluations up to step 300 come before any run has learned"});
  EXPECT_EQ(page.find("<b>9</b>"), std::string::npos);
  EXPECT_EQ(page.find("TA-DQN, seed"), std::string::npos);  // who set R_max
  const std::string rows = read_text(written.files / "runs.csv");
  EXPECT_EQ(count(rows, ",no\n"), 2U);
  EXPECT_EQ(count(rows, ",yes\n"), 2U);
  expect_balanced(page);
}

TEST_F(ComparingTest, AveragesOverSomeEnvironmentsAreMarkedAndNeverBest) {
  for (const char* game : {"minatar/breakout", "minatar/freeway"}) {
    RunSpec spec;
    spec.env = game;
    spec.constant = 5;
    write_run(runs() / "plain" / game, spec);
    spec.constant = 9;
    spec.algo = "ta-dqn";
    spec.margin = 1;
    if (game == std::string("minatar/freeway")) write_run(runs() / "aligned", spec);
  }
  const WrittenReport written = write();
  const std::string page = read_text(written.page);
  expect_all(page, {"TA-DQN<small>1 of 2 environments</small>", "compares with nobody",
                    "Not every algorithm has runs in all 2 environments (TA-DQN in 1)"});
  const std::string tex = read_text(written.files / "table-aggregates.tex");
  const std::size_t partial = tex.find("TA-DQN");
  ASSERT_NE(partial, std::string::npos);
  EXPECT_EQ(tex.find("textbf", partial), std::string::npos);
  const std::string nauc = read_text(written.files / "table-nAUC.tex");
  EXPECT_EQ(nauc.find("0.00", nauc.find("TA-DQN")), std::string::npos);  // no spread of one value
}

TEST_F(ComparingTest, OneSeedIsSaidToHaveNoIntervals) {
  write_plain_and_aligned();
  const std::string page = read_text(write().page);
  expect_all(page, {"One seed: points without intervals", "without intervals (one seed)"});
  EXPECT_EQ(page.find("Points with 95 %"), std::string::npos);
  EXPECT_EQ(page.find("Brackets: 95 %"), std::string::npos);
}

TEST_F(ComparingTest, OnlyRunsWithoutUpdatesAreStillAReport) {
  RunSpec spec;
  spec.extra = "learning_starts = 5000\n";
  write_run(runs() / "a", spec);
  const std::string page = read_text(write().page);
  expect_all(page, {"no update", "Nothing to compare yet"});
  EXPECT_FALSE(std::regex_search(page, std::regex("[^a-zA-Z]-?nan[^a-zA-Z]")));
}

TEST_F(ComparingTest, AStudyChoosesThePapersFiguresAndMissesThem) {
  write_study("DQN", "TA-DQN", "covers = [\"Table 6\", \"Figure 9\", \"Figure 4\"]\n");
  const std::string page = read_text(write().page);
  expect_all(page, {"Figure 9:", "paper 0.256", "Figure 4 of the paper",
                    "it needs DQN and TA-DQN with b = m under two replay strategies"});
  write_study("DQN", "TA-DQN", "covers = []\n");
  const std::string uncovered = read_text(write().page);
  EXPECT_EQ(uncovered.find("Figure 9:"), std::string::npos);
  EXPECT_EQ(uncovered.find("paper 0.256"), std::string::npos);
}

TEST_F(ComparingTest, ManyNotesAreCountedAndFolded) {
  write_study("DQN", "TA-DQN");
  std::string study = read_text(runs() / "study.toml");
  study.replace(study.find("seeds = 1"), 9, "seeds = 9");
  write_file(runs() / "study.toml", study);
  const std::string page = read_text(write().page);
  expect_all(page, {"<div class=\"banner\">16 missing runs: see",
                    "<details><summary>16 missing runs</summary>"});
}

TEST_F(ComparingTest, ADamagedFileIsNamedWhereNothingElseIsLeft) {
  write_run(runs() / "a", {});
  write_file(runs() / "a" / "evaluations.npz", "not a zip");
  try {
    write();
    FAIL() << "wrote a report of nothing";
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("a: cannot read evaluations.npz"), std::string::npos)
        << problem.what();
  }
}

TEST_F(ComparingTest, ManyConditionsShareNoPanel) {
  synthetic::write_replay_study(runs(), {kGames[0]}, 2, 5);
  const std::string page = read_text(write().page);
  EXPECT_EQ(count(page, "data-plot=\"curve\""), 3U);  // a replay strategy each
  expect_all(page, {"More than four conditions", "Asterix: DQN+PER, TA-DQN+PER",
                    "without intervals, which would hide each other"});
}

}  // namespace
}  // namespace tarl::report
