// SPDX-License-Identifier: MIT
#include "tarl/study/plan/margins.h"

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/study/plan/grid.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::study {
namespace {

using test::error_of;
using test::TemporaryFolder;

constexpr const char* kStudy = R"(
seeds = 2
baseline = "DQN"
envs = ["minatar/breakout", "minatar/freeway"]
[[conditions]]
label = "DQN"
algo = "dqn"
[[conditions]]
label = "TA"
algo = "ta-dqn"
margin = "auto"
[[conditions]]
label = "TA wide"
algo = "ta-dqn"
set = { "align.margin" = "auto", "align.budget" = 1 }
)";

class StudyMargins : public testing::Test {
 protected:
  // An update with margin f costs 1 + f / 10.
  train::MarginRule measure() {
    const auto costs_of = [this](const train::RunConfig& config, int threads) {
      EXPECT_EQ(threads, 1);
      measured_.push_back(config.env);
      std::vector<train::MarginCost> costs;
      for (const double margin : train::kMargins) {
        costs.push_back({margin, static_cast<int>(32 * margin), 1 + margin / 10});
      }
      return costs;
    };
    return {costs_of, "a step", 0.25};
  }

  Study asked_ = parse_study(kStudy, "margins", "test");
  TemporaryFolder out_;
  std::vector<std::string> measured_;
};

TEST_F(StudyMargins, AreMeasuredOnceACondition) {
  EXPECT_EQ(open_margins(asked_, out_.path()), (std::vector<std::string>{"TA", "TA wide"}));
  const Study study = with_margins(asked_, out_.path(), {}, measure());
  EXPECT_EQ(measured_, (std::vector<std::string>{"minatar/breakout", "minatar/breakout"}));
  for (const PlannedRun& run : plan(study, out_.path())) {
    const double expected = run.label == "DQN" ? 0.0 : run.label == "TA" ? 3.0 : 7.0;
    EXPECT_EQ(run.config.align.margin, expected) << run.name();
  }
  join_folder(out_.path(), study);
  EXPECT_EQ(stored_study(out_.path()).find("TA")->margin, "3");

  const Json margins = parse_json(read_text(out_ / "margins.json"));
  EXPECT_EQ(margins["TA"]["margin"].get<double>(), 3.0);
  EXPECT_EQ(margins["TA"]["budget"].get<double>(), 0.25);
  EXPECT_EQ(margins["TA"]["what"].get<std::string>(), "a step");
  EXPECT_EQ(margins["TA wide"]["budget"].get<double>(), 1.0);
  EXPECT_EQ(margins["TA"]["measured"].size(), train::kMargins.size());
}

TEST_F(StudyMargins, AreThoseOfTheFolderEverAfter) {
  const Study first = with_margins(asked_, out_.path(), {}, measure());
  join_folder(out_.path(), first);
  measured_.clear();
  EXPECT_TRUE(open_margins(asked_, out_.path()).empty());
  const Study again = with_margins(asked_, out_.path(), {}, measure());
  EXPECT_TRUE(measured_.empty());
  EXPECT_EQ(again.conditions, first.conditions);
  EXPECT_NO_THROW(join_folder(out_.path(), again));
}

TEST_F(StudyMargins, ADamagedRecordIsTold) {
  for (const char* text : {"{\"TA\": 3}", "[1]", "{"}) {
    write_file_durably(out_ / "margins.json", text);
    const std::string problem = error_of([&] { with_margins(asked_, out_.path(), {}, measure()); });
    EXPECT_NE(problem.find("margins.json is damaged"), std::string::npos) << problem;
  }
}

}  // namespace
}  // namespace tarl::study
