// SPDX-License-Identifier: MIT
#include "tarl/study/plan/study_folder.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/store/run_info.h"
#include "tarl/study/results/run_state.h"
#include "tarl/train/run.h"

namespace tarl::study {
namespace {

Study small(std::int64_t seeds = 1, const std::string& steps = "1000",
            std::vector<std::string> envs = {"minatar/breakout"},
            std::vector<std::string> set = {}) {
  return apply_request(
      find_study("minatar-replay"),
      {.seeds = seeds, .steps = steps, .envs = std::move(envs), .set = std::move(set)});
}

std::string refusal(const fs::path& out, const Study& asked) {
  try {
    join_folder(out, asked);
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "";
}

TEST(JoinFolder, WritesWhatTheStudyIs) {
  const test::TemporaryFolder scratch;
  join_folder(scratch / "s", small());
  const Study stored = stored_study(scratch / "s");
  EXPECT_EQ(stored.name, "minatar-replay");
  EXPECT_EQ(stored.steps, "1000");
  const auto json = parse_json(read_text(scratch / "s" / "study.json"));
  EXPECT_EQ(json["labels"]["ta-per"], "TA-PER");
  EXPECT_EQ(json["against"]["TA-PER"], "DQN+PER");
  EXPECT_EQ(json["runs"].size(), 6u);
}

TEST(JoinFolder, GrowsButNeverShrinks) {
  const test::TemporaryFolder scratch;
  join_folder(scratch / "s", small(3));
  const Study more = join_folder(scratch / "s", small(1, "1000", {"minatar/freeway"}));
  EXPECT_EQ(more.seeds, 3);
  EXPECT_EQ(more.envs, (std::vector<std::string>{"minatar/breakout", "minatar/freeway"}));
  EXPECT_EQ(stored_study(scratch / "s").envs, more.envs);
}

TEST(JoinFolder, RefusesChangedSettingsWithADiff) {
  const test::TemporaryFolder scratch;
  join_folder(scratch / "s", small());
  const std::string before = read_text(scratch / "s" / "study.toml");
  const std::string steps = refusal(scratch / "s", small(1, "2000"));
  EXPECT_NE(steps.find("steps: 1000 -> 2000  [every condition]"), std::string::npos) << steps;
  Study one = small();
  one.conditions[1].margin = "3";
  const std::string margin = refusal(scratch / "s", one);
  EXPECT_NE(margin.find("align.margin: 1.0 -> 3.0  [TA-DQN]"), std::string::npos) << margin;
  one = small();
  one.conditions.pop_back();
  EXPECT_NE(refusal(scratch / "s", one).find("(gone)  [TA-ReaPER]"), std::string::npos);
  EXPECT_EQ(read_text(scratch / "s" / "study.toml"), before);
}

TEST(JoinFolder, LetsSettingsChangeThatNoCurveDependsOn) {
  const test::TemporaryFolder scratch;
  join_folder(scratch / "s", small());
  EXPECT_EQ(refusal(scratch / "s", small(1, "1000", {"minatar/breakout"}, {"checkpoint.every=10"})),
            "");
}

TEST(JoinFolder, RefusesRunsThatWereStartedOtherwise) {
  const test::TemporaryFolder scratch;
  const fs::path out = scratch / "s";
  prepare_run(plan(small(1, "1000", {"minatar/breakout"}, {"gamma=0.9"}), out)[2]);
  const std::string message = refusal(out, small());
  EXPECT_NE(message.find("gamma: 0.9 -> 0.99  [DQN+PER]"), std::string::npos) << message;
}

TEST(PrepareRun, LeavesARunThatIsThereAlone) {
  const test::TemporaryFolder scratch;
  const PlannedRun run = plan(small(), scratch / "s")[0];
  prepare_run(run);
  EXPECT_TRUE(train::differences(train::stored_config(run.folder), run.config).empty());
  write_file_durably(run.folder / "config.toml", "mine");
  prepare_run(run);
  EXPECT_EQ(read_text(run.folder / "config.toml"), "mine");
}

TEST(PrepareRun, CosmeticSettingsFollowTheStudyAndOthersDoNot) {
  const test::TemporaryFolder scratch;
  PlannedRun run = plan(small(), scratch / "s")[0];
  prepare_run(run);
  run.config.checkpoint.keep = true;
  prepare_run(run);
  EXPECT_TRUE(train::stored_config(run.folder).checkpoint.keep);
  run.config.log.csv = false;
  run.config.gamma = 0.5;
  prepare_run(run);
  EXPECT_TRUE(train::stored_config(run.folder).log.csv);
}

TEST(RunState, FollowsARunThroughItsLife) {
  const test::TemporaryFolder scratch;
  const PlannedRun run = plan(small(), scratch / "s")[0];
  EXPECT_EQ(look_at(run).phase, RunPhase::kMissing);
  prepare_run(run);
  EXPECT_EQ(look_at(run).phase, RunPhase::kStopped);
  store::RunInfo info = store::describe_build();
  info.status = store::RunStatus::kFinished;
  store::save_run_info(run.folder / "run.json", info);
  EXPECT_EQ(look_at(run).phase, RunPhase::kStopped);  // no model: not finished
  write_file_durably(run.folder / "model.safetensors", "");
  EXPECT_EQ(look_at(run).phase, RunPhase::kFinished);
  EXPECT_EQ(look_at(run).step, 1000);
  info.status = store::RunStatus::kRunning;
  store::save_run_info(run.folder / "run.json", info);
  EXPECT_EQ(look_at(run).phase, RunPhase::kStopped);  // nobody holds its lock
  mark_failed(run, "killed by signal 9");
  EXPECT_EQ(look_at(run).phase, RunPhase::kFailed);
  EXPECT_EQ(look_at(run).error, "killed by signal 9");
}

TEST(RunState, LivesWithDamagedFiles) {
  const test::TemporaryFolder scratch;
  const PlannedRun run = plan(small(), scratch / "s")[0];
  prepare_run(run);
  for (const char* file : {"run.json", "evaluations.npz", "lock"}) {
    write_file_durably(run.folder / file, "\x01{ not what it should be");
  }
  EXPECT_EQ(look_at(run).phase, RunPhase::kStopped);
  mark_failed(run, "gave up");
  EXPECT_EQ(look_at(run).phase, RunPhase::kFailed);
}

TEST(SecondsLeft, GoesByThePaceOfThisSession) {
  const StudySession session{"local", 100, 1000};
  EXPECT_FALSE(seconds_left(session, 110, 1000, 5000));
  EXPECT_DOUBLE_EQ(*seconds_left(session, 110, 2000, 5000), 30);
  EXPECT_DOUBLE_EQ(*seconds_left(session, 110, 6000, 5000), 0);
}

}  // namespace
}  // namespace tarl::study
