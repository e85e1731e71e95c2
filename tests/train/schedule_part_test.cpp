// SPDX-License-Identifier: MIT
//
// Runs that are the first part of a longer one (schedule.steps).
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/store/evaluations.h"
#include "tarl/train/extend.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

// Everything that has a schedule has one over 1,200 steps, with an evaluation every 100 of them.
std::vector<std::string> scheduled(std::vector<std::string> more) {
  std::vector<std::string> settings = {"checkpoint.keep=true", "exploration_fraction=0.9",
                                       "replay.kind=per", "learning_rate_schedule=linear",
                                       "eval.count=12"};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

void expect_beginning(const std::string& text, const std::string& whole) {
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(whole.substr(0, text.size()), text);
}

TEST(SchedulePart, IsTheBeginningOfTheWholeRun) {
  const TemporaryFolder root;
  run_training(small_run(root / "part", false, scheduled({"steps=300", "schedule.steps=1200"})));
  run_training(small_run(root / "whole", false, scheduled({"steps=1200"})));
  for (const char* file : {"evaluations.csv", "progress.csv", "monitor.csv"}) {
    expect_beginning(read_text(root / "part" / file), read_text(root / "whole" / file));
  }
}

TEST(SchedulePart, IsMadeLongerIntoTheWholeRun) {
  const TemporaryFolder root;
  run_training(small_run(root / "run", false, scheduled({"steps=300", "schedule.steps=1200"})));
  run_training(small_run(root / "whole", false, scheduled({"steps=1200"})));
  for (const char* steps : {"700", "1200"}) {
    RunRequest request = stored_run(root / "run");
    ConfigRequest asked;
    asked.steps = steps;
    request.config = resumed(request.config, asked, "run");
    EXPECT_EQ(run_training(request).end, RunEnd::kFinished);
  }
  for (const char* file : {"model.safetensors", "evaluations.npz", "progress.csv"}) {
    EXPECT_EQ(read_text(root / "run" / file), read_text(root / "whole" / file)) << file;
  }
  EXPECT_EQ(stored_config(root / "run").eval.count, 12);
}

TEST(SchedulePart, RefusesWhatIsNoPart) {
  const TemporaryFolder root;
  const auto problem = [&](std::vector<std::string> settings) {
    return error_of([&] { small_run(root / "run", false, scheduled(std::move(settings))); });
  };
  EXPECT_EQ(problem({"steps=1300", "schedule.steps=1200"}),
            "schedule.steps = 1200 is less than the run's 1300 steps; it is the number of the "
            "longer run that this one is a part of");
  EXPECT_EQ(problem({"steps=250", "schedule.steps=1200"}),
            "a run of 250 steps would not end with an evaluation: 12 are made in schedule.steps = "
            "1200; choose 300 steps");
  EXPECT_EQ(problem({"steps=250", "schedule.steps=1200", "eval.count=0"}), "");
}

TEST(SchedulePart, MeetsTheSchedulesOfTheWhole) {
  RunConfig config;
  config.steps = 3'000'000;
  config.eval.count = 100;
  config.schedule.steps = 12'500'000;
  EXPECT_EQ(steps_in_force(config, 1), 12'500'000);
  EXPECT_EQ(evaluations_due(config, 124'999), 0);
  EXPECT_EQ(evaluations_due(config, 3'000'000), 24);
  EXPECT_EQ(step_of_evaluation(config, 24), 3'000'000);
  EXPECT_TRUE(length_schedules(config).empty());
}

}  // namespace
}  // namespace tarl::train
