// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include <cmath>
#include <regex>
#include <sstream>

#include "report/report_fixture.h"

#include "tarl/core/error.h"
#include "tarl/core/formats/npz.h"

namespace tarl::report {
namespace {

TEST_F(ReportTest, HasEverySectionOfAFullStudy) {
  synthetic::write_replay_study(runs(), kGames, 3, 20);
  const std::string page = read_text(write().page);
  expect_all(page, {"nAUC",
                    "IQM",
                    "<svg",
                    "TA-DQN",
                    "id=\"verdict\"",
                    "id=\"learning\"",
                    "id=\"tables\"",
                    "id=\"paper\"",
                    "id=\"alignment\"",
                    "id=\"provenance\"",
                    "Performance profile",
                    "Sample efficiency",
                    "P(improvement)",
                    "p with Holm",
                    "family: the 3 comparisons of this report",
                    "percentile bootstrap intervals over seeds (500 draws)",
                    "Bold: the best of a column",
                    "ratio of means",
                    "What would change it",
                    "R_min",
                    "built-in table",
                    "never compare it with another study",
                    "paper 0.078",
                    "Figure 1:",
                    "Figure 4:",
                    "Figure 9:",
                    "Figure 10:",
                    "Figure 11:",
                    "Test CPU",
                    "tarl train --algo ta-dqn",
                    "II undershoot",
                    "prefers-color-scheme:dark",
                    "@media print"});
  expect_balanced(page);
}

TEST_F(ReportTest, LoadsNothing) {
  synthetic::write_replay_study(runs(), {kGames[0]}, 2, 5);
  const std::string page = read_text(write().page);
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)\\s*=\\s*[\"']?(https?:|//)")));
  EXPECT_FALSE(std::regex_search(page, std::regex("@import|url\\([^#]|<link|<img|<iframe")));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST_F(ReportTest, HostileNamesStayText) {
  const std::string name = "x<script>alert(1)</script>\\\"'&";
  write_study("DQN", "TA-</script><img src=x onerror=alert(3)>",
              "question = \"</title><script>alert(2)</script>\"\n");
  RunSpec spec;
  spec.env = "minatar/" + name;
  write_run(runs() / "<b>dqn&", spec);
  const WrittenReport written = write();
  for (const auto& entry : fs::directory_iterator(written.files)) {
    if (entry.path().extension() != ".svg") continue;
    EXPECT_EQ(count(read_text(entry.path()), "<script"), 0U) << entry.path();
  }
  const std::string page = read_text(written.page);
  EXPECT_EQ(count(page, "<script"), 2U);  // the data and the page's own
  EXPECT_EQ(count(page, "</script"), 2U);
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(page.find("<b>dqn"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
}

TEST_F(ReportTest, ALabelStaysInItsLineOfEveryFile) {
  write_study("DQN", "A\n\\input{/etc/passwd}\n%<script>|\\",
              "title = \"T\\n# t\"\nquestion = \"Q\\n<img src=x>\"\n");
  const WrittenReport written = write();
  for (const auto& entry : fs::directory_iterator(written.files)) {
    if (entry.path().extension() != ".tex") continue;
    std::istringstream lines(read_text(entry.path()));
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("% ")) << entry.path();
    while (std::getline(lines, line)) {
      EXPECT_EQ(line.find("\\input"), std::string::npos) << entry.path();
    }
  }
  const std::string summary = read_text(written.files / "summary.md");
  EXPECT_TRUE(summary.starts_with("# T # t\n\nQ \\<img src=x>\n"));
  EXPECT_EQ(summary.find("\n\\input"), std::string::npos);
  EXPECT_EQ(summary.find("\n%"), std::string::npos);
  EXPECT_NE(summary.find("| A \\\\input{/etc/passwd} %\\<script>\\|\\\\ |"), std::string::npos)
      << summary;
}

TEST_F(ReportTest, LongLabelsStillNameFiles) {
  const std::string a(250, 'a'), b(250, 'b');
  write_study(a, b);
  EXPECT_NE(read_text(write().page).find(a), std::string::npos);
}

TEST_F(ReportTest, EndsWhenScoresDifferByRoundingAlone) {
  const double huge = std::nextafter(1e300, INFINITY);
  for (const auto& [one, other] : std::vector<std::pair<double, double>>{{0.1, 0.1},
                                                                         {-0.8, -0.8},
                                                                         {-123.4, -123.4},
                                                                         {500, 500.00000000000006},
                                                                         {0.3, 0.30000000000000004},
                                                                         {1e16, 1e16 + 2},
                                                                         {1e300, huge},
                                                                         {5e-324, -5e-324}}) {
    for (const int seed : {0, 1}) {
      RunSpec spec;
      spec.seed = seed;
      spec.constant = seed == 0 ? one : other;
      write_run(runs() / std::to_string(seed), spec);
    }
    const std::string page = read_text(write().page);
    expect_balanced(page);
    EXPECT_FALSE(std::regex_search(page, std::regex("[\" (]-?(nan|inf)[\" ]"))) << one;
  }
}

TEST_F(ReportTest, DrawsSomePointsOfManyAndTabulatesAll) {
  for (const std::string algo : {"dqn", "ta-dqn"}) {
    for (const int seed : {0, 1}) {
      RunSpec spec;
      spec.algo = algo;
      spec.margin = algo == "dqn" ? 0 : 1;
      spec.seed = seed;
      spec.episodes = 1;
      spec.evaluations = spec.planned = 10'000;
      spec.steps = 1'000'000;
      write_run(runs() / algo / std::to_string(seed), spec);
    }
  }
  const WrittenReport written = write();
  const std::string page = read_text(written.page);
  expect_all(page, {"every figure draws 2000 spread evenly", "\"x\":[500,1000,1500,",
                    "999500,1000000],\"first\":0,\"cells\"", "\"smooth\":"});
  EXPECT_LT(page.size(), 3'000'000U);
  EXPECT_EQ(count(read_text(written.files / "curves.csv"), "\n"), 1U + 4 * 10'000);
}

TEST_F(ReportTest, OneSeedGetsNoIntervals) {
  for (const std::string algo : {"dqn", "ta-dqn"}) {
    RunSpec spec;
    spec.algo = algo;
    spec.margin = algo == "dqn" ? 0 : 1;
    spec.evaluations = spec.planned = 3;
    write_run(runs() / algo, spec);
  }
  const std::string page = read_text(write().page);
  expect_all(page, {"cannot tell", "no interval: one seed", "One seed: no intervals"});
  EXPECT_FALSE(std::regex_search(page, std::regex("[^a-zA-Z]-?nan[^a-zA-Z]")));
}

TEST_F(ReportTest, ASingleRunIsStillAReport) {
  write_run(runs() / "a", {});
  const std::string page = read_text(write().page);
  expect_all(page, {"Nothing to compare yet", "<svg", "nAUC"});
  expect_balanced(page);
}

TEST_F(ReportTest, NothingToReportIsAnError) {
  fs::create_directories(runs());
  EXPECT_THROW(write(), Error);
}

TEST_F(ReportTest, ListsMissingAndFailedRuns) {
  synthetic::write_replay_study(runs(), {kGames[1]}, 2, 5);
  fs::remove_all(runs() / kGames[1] / "dqn+per" / "seed1");
  RunSpec failed;
  failed.seed = 7;
  failed.status = "failed";
  failed.evaluations = 2;
  failed.planned = 5;
  write_run(runs() / "broken", failed);
  const WrittenReport written = write();
  expect_all(read_text(written.page), {"DQN+PER / seed 1", "failed (failed, 2 of 5 evaluations"});
  EXPECT_NE(written.markdown.find("DQN+PER / seed 1: missing"), std::string::npos);
}

TEST_F(ReportTest, ShortRunsAreNoReproduction) {
  write_plain_and_aligned();
  expect_all(read_text(write().page), {"the numbers are not a reproduction"});
}

TEST_F(ReportTest, WritesFiguresTablesAndData) {
  synthetic::write_replay_study(runs(), {kGames[0], kGames[1]}, 3, 12);
  const WrittenReport written = write();
  EXPECT_EQ(written.files.filename(), "report_files");
  for (const char* name :
       {"curves.svg", "figure-1.svg", "figure-4.svg", "table-nAUC.tex", "paper-replay.tex",
        "runs.csv", "curves.csv", "summary.csv", "aggregates.csv", "comparisons.csv",
        "comparisons.json", "results.json", "scores.json", "summary.md"}) {
    EXPECT_TRUE(fs::exists(written.files / name)) << name;
  }
  const std::string svg = read_text(written.files / "curves.svg");
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_EQ(svg.find("var(--"), std::string::npos);  // other programs know no CSS variables
  const std::string rows = read_text(written.files / "runs.csv");
  EXPECT_EQ(count(rows, "\n"), 1U + 2 * 6 * 3);
  EXPECT_EQ(count(read_text(written.files / "curves.csv"), "\n"), 1U + 2 * 6 * 3 * 12);
  EXPECT_NE(read_text(written.files / "table-nAUC.tex").find("\\toprule"), std::string::npos);
}

TEST_F(ReportTest, AggregatesHaveARowForEveryStatistic) {
  synthetic::write_replay_study(runs(), {kGames[0], kGames[1]}, 3, 12);
  const std::string rows = read_text(write().files / "aggregates.csv");
  EXPECT_TRUE(rows.starts_with(
      "algorithm,metric,statistic,environments,value,ci_low,ci_high\nDQN,nAUC,IQM,2,"));
  EXPECT_EQ(count(rows, "\n"), 1U + 6 * 2 * 4);
}

TEST_F(ReportTest, ScoreArraysHaveRliablesShape) {
  synthetic::write_replay_study(runs(), {kGames[0], kGames[1]}, 3, 12);
  fs::remove_all(runs() / kGames[0] / "dqn" / "seed1");
  const auto arrays = load_npz(write().files / "scores.npz");
  ASSERT_EQ(arrays.size(), 6U);
  for (const auto& [name, array] : arrays) {
    const std::int64_t seeds = name == "DQN" ? 2 : 3;  // seed 1 lacks a task
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{seeds, 2})) << name;
  }
}

TEST_F(ReportTest, SameResultsGiveTheSameBytes) {
  synthetic::write_replay_study(runs(), {kGames[0]}, 3, 10);
  const std::string first = read_text(write().page);
  EXPECT_EQ(first, read_text(write().page));
}

TEST_F(ReportTest, AFullStudyStaysSmall) {
  synthetic::write_replay_study(runs(), kGames, 5, 100);
  EXPECT_LT(fs::file_size(write().page), 3'000'000U);
}

}  // namespace
}  // namespace tarl::report
