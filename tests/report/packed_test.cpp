// SPDX-License-Identifier: MIT
#include "tarl/study/results/packed.h"

#include <set>

#include "report/report_fixture.h"

namespace tarl::report {
namespace {

class PackedReport : public ReportTest {
 protected:
  // Three games, six conditions and four seeds, with measured random scores and a run that is
  // missing.
  void write_replay() {
    std::string toml =
        "name = \"replay\"\ntitle = \"Replay\"\nseeds = 4\nbaseline = \"dqn\"\n"
        "covers = [\"Table 6\", \"Figure 4\"]\nenvs = [";
    for (std::size_t i = 0; i < 3; ++i) toml += (i == 0 ? "\"" : ", \"") + kGames[i] + "\"";
    toml += "]\n";
    for (const char* replay : {"", "+per", "+reaper"}) {
      for (const char* algo : {"dqn", "ta-dqn"}) {
        const std::string label = std::string(algo) + replay;
        toml += "[[conditions]]\nlabel = \"" + label + "\"\nalgo = \"" + label + "\"\n";
        if (algo[0] == 't') toml += "against = \"dqn" + std::string(replay) + "\"\n";
      }
    }
    write_file(runs() / "study.toml", toml);
    write_file(runs() / "baselines.json",
               R"({"minatar/asterix": {"mean": 0.3, "se": 0.01, "episodes": 200}})");
    synthetic::write_replay_study(runs(), {kGames.begin(), kGames.begin() + 3}, 4, 20);
    fs::remove_all(runs() / "minatar/freeway/dqn/seed3");
  }

  static std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
};

TEST_F(PackedReport, HasTheNumbersAndTablesOfTheRuns) {
  write_replay();
  const auto write = [&](const fs::path& folder, const char* name) {
    ReportOptions options;
    options.out = runs().parent_path() / name / "report.html";
    options.bootstrap.resamples = 200;
    return write_report(study::read_results(folder), options);
  };
  const fs::path packed = runs().parent_path() / "packed";
  study::pack_study(runs(), packed);
  const WrittenReport of_runs = write(runs(), "a"), of_packed = write(packed, "b");
  EXPECT_EQ(of_packed.markdown, of_runs.markdown);
  const std::set<std::string> names = names_in(of_runs.files);
  EXPECT_EQ(names_in(of_packed.files), names);
  EXPECT_TRUE(names.contains("comparisons.json"));
  for (const std::string& name : names) {
    // Figures of logged means are drawn from rounded ones.
    if (name.ends_with(".svg") && name.find("alignment") != std::string::npos) continue;
    if (name.ends_with(".svg") && name.find("scenario") != std::string::npos) continue;
    EXPECT_EQ(read_text(of_packed.files / name), read_text(of_runs.files / name)) << name;
  }
}

TEST_F(PackedReport, StandsBesideRunsUnderALabel) {
  write_replay();
  const fs::path packed = runs().parent_path() / "packed";
  study::pack_study(runs(), packed);
  study::ReadOptions options;
  options.labels = {"then", "now"};
  const study::Results both = study::read_results({packed, runs()}, options);
  EXPECT_EQ(both.runs.size(), 2U * (3 * 6 * 4 - 1));
  EXPECT_EQ(both.algorithms.size(), 12U);
}

}  // namespace
}  // namespace tarl::report
