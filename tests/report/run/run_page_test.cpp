// SPDX-License-Identifier: MIT
#include "tarl/report/run/run_page.h"

#include <algorithm>
#include <sstream>

#include "study/results_synthetic.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"
#include "tarl/rl/metrics.h"

namespace tarl::report {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A run whose progress.csv has these columns.
study::RunRecord run_with(const fs::path& folder, const std::vector<std::string>& columns,
                          const synthetic::RunSpec& spec = {}) {
  synthetic::write_run(folder, spec);
  std::ostringstream progress;
  progress << "time/total_timesteps";
  for (const std::string& column : columns) progress << "," << column;
  for (int t = 1; t <= spec.evaluations; ++t) {
    progress << "\n" << 100 * t;
    for (std::size_t i = 0; i < columns.size(); ++i) progress << "," << (t == 1 ? "" : "0.25");
  }
  write_file_durably(folder / "progress.csv", progress.str() + "\n");
  write_file_durably(folder / "monitor.csv", "#{}\nr,l,t\n1,20,20\n3,30,50\n");
  return study::read_run_record(folder);
}

std::vector<std::string> titles(const RunFigure& figure) {
  std::vector<std::string> out;
  for (const LinePanel& panel : figure.panels) out.push_back(panel.title);
  return out;
}

using Titles = std::vector<std::string>;

TEST(RunFigures, DrawWhatWasLogged) {
  const test::TemporaryFolder scratch;
  std::vector<std::string> all;
  for (const rl::MetricInfo& metric : rl::kMetrics) all.emplace_back(metric.name);
  const RunFigures figures = run_figures(run_with(scratch / "all", all));
  EXPECT_EQ(
      titles(figures.learning),
      (Titles{"Loss", "Critic loss", "Actor loss", "Q, mean prediction",
              "Gradient norm before clipping", "Entropy coefficient",
              "Loss of the entropy coefficient", "Skipped updates", "Errors that are no number"}));
  EXPECT_EQ(figures.alignment.panels.size(), 4U);
  ASSERT_EQ(figures.scenarios.panels.size(), 1U);
  EXPECT_EQ(figures.scenarios.panels[0].series.size(), 4U);
  // No update was made before the first row: nothing to draw there.
  EXPECT_EQ(figures.scenarios.panels[0].series[0].x.front(), 200);
  const RunFigures plain =
      run_figures(run_with(scratch / "plain", {"train/loss", "rollout/exploration_rate"}));
  EXPECT_EQ(titles(plain.learning), (Titles{"Loss", "Exploration rate"}));
  EXPECT_TRUE(plain.alignment.panels.empty());
  EXPECT_TRUE(plain.scenarios.panels.empty());
}

TEST(RunFigures, RowsBetweenEvaluationsDoNotBreakTheCurvesOfEvaluations) {
  const test::TemporaryFolder scratch;
  run_with(scratch / "a", {});
  std::ostringstream progress;
  progress << "time/total_timesteps,eval/mean_ep_length,train/loss\n";
  for (int t = 1; t <= 8; ++t) {
    progress << 50 * t << "," << (t % 2 == 0 ? "20" : "") << ",0.5\n";
  }
  write_file_durably(scratch / "a" / "progress.csv", progress.str());
  const RunFigures figures = run_figures(study::read_run_record(scratch / "a"));
  EXPECT_EQ(figures.evaluation.panels.at(1).series.at(0).x,
            (std::vector<double>{100, 200, 300, 400}));
  EXPECT_EQ(figures.evaluation.panels.at(1).series.at(0).y, std::vector<double>(4, 20));
  EXPECT_EQ(figures.learning.panels.at(0).series.at(0).x.size(), 8U);
}

TEST(RunFigures, ShowTheSpreadOfAnEvaluationsEpisodes) {
  const test::TemporaryFolder scratch;
  const study::RunRecord record = run_with(scratch / "a", {});
  const LinePanel panel = run_figures(record).evaluation.panels.at(0);
  ASSERT_EQ(panel.series.size(), 3U);
  std::vector<double> last = record.run.returns.back();
  std::sort(last.begin(), last.end());
  EXPECT_EQ(panel.series[0].y.back(), last.front());
  EXPECT_EQ(panel.series[1].y.back(), last.back());
  EXPECT_EQ(panel.series[2].y, record.run.mean_returns);
  EXPECT_EQ(panel.series[2].low.back(), last[1]);
  EXPECT_EQ(panel.series[2].high.back(), last[3]);
}

TEST(RunFigures, AverageTrainingEpisodesBeforeTheyAreThinned) {
  const test::TemporaryFolder scratch;
  study::RunRecord record = run_with(scratch / "a", {});
  record.episodes = {};
  for (int i = 0; i < 5000; ++i) {
    record.episodes.steps.push_back(10.0 * i);
    record.episodes.returns.push_back(i % 2);
    record.episodes.lengths.push_back(10);
  }
  const LinePanel panel = run_figures(record).training.panels.at(0);
  ASSERT_EQ(panel.series.size(), 2U);
  EXPECT_EQ(panel.series[0].y.size(), 2000U);
  EXPECT_EQ(panel.series[0].x.back(), 49990);
  EXPECT_DOUBLE_EQ(panel.series[1].y.back(), 0.5);
}

TEST(RunPage, GivesTheScriptEveryCurve) {
  const test::TemporaryFolder scratch;
  const study::RunRecord record =
      run_with(scratch / "a", {"train/loss", "tarl/alignment_mean", "tarl/alignment_mean_all"});
  const RunFigures figures = run_figures(record);
  const Json data = parse_json(run_page_data(figures));
  std::size_t panels = 0;
  for (const RunFigure* figure : figures.all()) {
    for (const LinePanel& panel : figure->panels) {
      const Json& shown = data["environments"][panels++];
      EXPECT_EQ(shown["title"], panel.title);
      EXPECT_EQ(shown["cells"].size(), data["algorithms"].size());
      std::size_t lines = 0;
      for (const Json& cell : shown["cells"]) {
        if (cell.is_null()) continue;
        ++lines;
        EXPECT_EQ(cell["line"].size(), shown["x"].size());
      }
      EXPECT_EQ(lines, panel.series.size());
    }
  }
  EXPECT_EQ(data["environments"].size(), panels);
  const std::string page = run_page_html(record, "files");
  const std::string last = "data-at=\"" + std::to_string(panels - 1) + "\"";
  EXPECT_TRUE(contains(page, last));
  EXPECT_FALSE(contains(page, "data-at=\"" + std::to_string(panels) + "\""));
}

TEST(RunPage, PassesNoVerdict) {
  const test::TemporaryFolder scratch;
  const std::string page = run_page_html(run_with(scratch / "a", {"train/loss"}), "files");
  for (const char* word : {"erdict\"", "IQM", "nAUC"}) {
    EXPECT_FALSE(contains(page.substr(0, page.find("<script>")), std::string(">") + word)) << word;
  }
  EXPECT_TRUE(contains(page, "DQN on Breakout, seed 0"));
}

TEST(RunPage, MarksSettingsThatDifferFromThePreset) {
  const test::TemporaryFolder scratch;
  const study::RunRecord record = run_with(scratch / "a", {}, {.extra = "gamma = 0.5"});
  const auto row_of = [](const Table& table, const std::string& key) {
    const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const auto& one) { return one[0].text == key; });
    return row == table.rows.end() ? std::vector<TableCell>(3) : *row;
  };
  const Table few = run_differences_table(record), all = run_settings_table(record);
  EXPECT_EQ(row_of(few, "gamma")[1].text, "0.5");
  EXPECT_EQ(row_of(few, "gamma")[2].text, "0.99");
  EXPECT_TRUE(row_of(all, "gamma")[1].strong);
  EXPECT_EQ(row_of(few, "batch_size")[0].text, "");
  EXPECT_EQ(row_of(all, "batch_size")[1].text, "32");
  EXPECT_EQ(row_of(few, "seed")[0].text, "");
  EXPECT_TRUE(contains(few.note, "minatar/paper"));
}

TEST(RunPage, ListsTheCommandThatMakesTheRunAgain) {
  const test::TemporaryFolder scratch;
  study::RunRecord record = run_with(scratch / "a", {"train/loss"});
  record.run.info["reproduce"] = "tarl train --set 'label=two words'";
  const Table cost = run_cost_table(record);
  const auto row = std::find_if(cost.rows.begin(), cost.rows.end(),
                                [](const auto& one) { return one[0].text == "made again by"; });
  ASSERT_NE(row, cost.rows.end());
  EXPECT_EQ((*row)[1].text, "tarl train --set 'label=two words'");
}

// The row of a table of two columns; nothing if it has none of this name.
std::string value_of(const Table& table, const std::string& what) {
  for (const auto& row : table.rows) {
    if (row[0].text == what) return row[1].text;
  }
  return "";
}

TEST(RunPage, ThePaceOfAnUnfinishedRunIsThatOfItsLoggedRows) {
  const test::TemporaryFolder scratch;
  const synthetic::RunSpec spec{.evaluations = 4, .status = "running", .wall_seconds = 0.01};
  run_with(scratch / "a", {}, spec);
  EXPECT_EQ(value_of(run_cost_table(study::read_run_record(scratch / "a")), "steps per second"),
            "");
  write_file_durably(scratch / "a" / "timing.csv",
                     "step,updates,utc,seconds,steps_per_second,updates_per_second\n"
                     "400,1,2026-01-01T00:00:04Z,8,50,1\n");
  const Table cost = run_cost_table(study::read_run_record(scratch / "a"));
  EXPECT_EQ(value_of(cost, "steps per second"), "50.0");
  EXPECT_EQ(value_of(cost, "training time, over all resumes"), "8.00 s");
}

TEST(RunPage, TilesSayWhatTheirMeansAreOf) {
  const test::TemporaryFolder scratch;
  const auto page_of = [&](const char* name, int evaluations) {
    return run_page_html(run_with(scratch / name, {}, {.evaluations = evaluations}), "files");
  };
  EXPECT_TRUE(contains(page_of("few", 4), "mean of all evaluations"));
  EXPECT_TRUE(contains(page_of("many", 12), "mean of the last 10 evaluations"));
  EXPECT_TRUE(contains(page_of("few", 4), "mean of all 2 episodes"));
}

TEST(RunPage, EscapesWhatFoldersSay) {
  const test::TemporaryFolder scratch;
  study::RunRecord record = run_with(scratch / "a", {"train/loss"});
  record.label = record.run.env = record.run.algo = "<img src=x>";
  record.run.damage = {"<img src=x>"};
  record.run.info["command"] = record.run.config["x"] = "<img src=x>";
  EXPECT_FALSE(contains(run_page_html(record, "<img src=x>"), "<img"));
}

TEST(RunPage, IsWrittenForARunWithoutResults) {
  const test::TemporaryFolder scratch;
  synthetic::write_run(scratch / "a", {.status = "running"});
  for (const char* file : {"evaluations.npz", "progress.csv"}) fs::remove(scratch / "a" / file);
  const WrittenReport written =
      write_run_report(study::read_run_record(scratch / "a"), scratch / "page.html");
  EXPECT_EQ(written.files, scratch / "page_files");
  EXPECT_TRUE(contains(read_text(written.page), "No training episode"));
  EXPECT_TRUE(fs::exists(written.files / "summary.md"));
}

TEST(RunPage, SameRunSameBytes) {
  const test::TemporaryFolder scratch;
  const study::RunRecord record = run_with(scratch / "a", {"train/loss"});
  EXPECT_EQ(run_page_html(record, "f"), run_page_html(record, "f"));
  const WrittenReport written = write_run_report(record, scratch / "page.html");
  EXPECT_EQ(read_text(written.page), run_page_html(record, "page_files"));
  EXPECT_TRUE(fs::exists(written.files / "learning-curves.svg"));
}

}  // namespace
}  // namespace tarl::report
