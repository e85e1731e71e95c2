// SPDX-License-Identifier: MIT
#include "tarl/study/plan/grid.h"

#include <set>

#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/fleet/device_run.h"

namespace tarl::study {
namespace {

TEST(Plan, HoldsEveryCellOfTheGridOnce) {
  const Study study = apply_request(find_study("minatar-replay"), {.seeds = 3, .steps = "1000"});
  const std::vector<PlannedRun> runs = plan(study, "out");
  EXPECT_EQ(runs.size(), 3u * 4u * 6u);
  std::set<std::string> folders;
  for (const PlannedRun& run : runs) {
    EXPECT_EQ(run.config.steps, 1000);
    EXPECT_EQ(run.config.seed, run.seed);
    EXPECT_EQ(run.config.env, run.env);
    folders.insert(run.folder.string());
  }
  EXPECT_EQ(folders.size(), runs.size());
  EXPECT_TRUE(folders.contains("out/minatar/breakout/ta-per/seed2"));
}

TEST(Plan, GoesSeedBySeed) {
  const Study study = apply_request(find_study("minatar-margin"), {.seeds = 2});
  const std::vector<PlannedRun> runs = plan(study, "out");
  EXPECT_EQ(runs[runs.size() / 2 - 1].seed, 0);
  EXPECT_EQ(runs[runs.size() / 2].seed, 1);
}

// The margin study as measured on a GPU: every condition fits the fp16 kernel.
TEST(Plan, OfTheMarginStudyFitsAFleet) {
  const Study study =
      apply_request(find_study("minatar-margin"), {.set = {"fleet.precision=fp16"}});
  const std::vector<PlannedRun> runs = plan(study, "out");
  EXPECT_EQ(runs.size(), 6u * 4u * 5u);
  std::set<std::int64_t> candidates;
  for (const PlannedRun& run : runs) {
    EXPECT_EQ(fleet::why_not(run.config), "") << run.name();
    candidates.insert(run.config.batch_size + run.config.oversampling());
  }
  EXPECT_EQ(candidates, (std::set<std::int64_t>{32, 35, 48, 64, 128}));
}

TEST(StudyOf, ComparesAlignedAlgorithmsWithTheirPlainOnes) {
  const Study study =
      study_of("mine", {"dqn", "ta-dqn", "ta-dqn+per", "dqn+per", "ta-ddqn"}, {"CartPole-v1"});
  std::vector<std::string> against;
  for (const Condition& one : study.conditions) against.push_back(one.against);
  EXPECT_EQ(against, (std::vector<std::string>{"", "dqn", "dqn+per", "", ""}));
  EXPECT_EQ(plan(apply_request(study, {.seeds = 2}), "out").size(), 10u);
  EXPECT_THROW(study_of("mine", {"dqn", "dqn"}, {"CartPole-v1"}), UsageError);
}

TEST(Request, NeedsASeed) {
  EXPECT_THROW(apply_request(find_study("minatar-replay"), {.seeds = 0}), UsageError);
}

TEST(Request, NarrowsEnvironmentsByAnySpelling) {
  const Study study = apply_request(find_study("minatar-replay"),
                                    {.envs = {"MinAtar/Breakout-v1", "minatar/breakout"}});
  EXPECT_EQ(study.envs, std::vector<std::string>{"minatar/breakout"});
}

TEST(Request, SetsASettingOfEveryCondition) {
  const Study study = apply_request(find_study("minatar-margin"),
                                    {.seeds = 1, .set = {"batch_size=8", "align.margin=2"}});
  for (const PlannedRun& run : plan(study, "out")) {
    EXPECT_EQ(run.config.batch_size, 8);
    EXPECT_EQ(run.config.align.margin, 2);
  }
}

TEST(Request, RefusesWhatHasItsOwnOption) {
  const Study study = find_study("minatar-replay");
  EXPECT_THROW(apply_request(study, {.set = {"steps=5"}}), UsageError);
  EXPECT_THROW(apply_request(study, {.set = {"seed=5"}}), UsageError);
  EXPECT_THROW(apply_request(study, {.set = {"gamma"}}), UsageError);
  EXPECT_THROW(apply_request(study, {.envs = {"minatar/nothing"}}), UsageError);
}

TEST(Plan, SaysWhichConditionIsWrong) {
  const Study study = apply_request(find_study("minatar-replay"), {.set = {"gama=0.9"}});
  try {
    plan(study, "out");
    FAIL();
  } catch (const UsageError& problem) {
    const std::string message = problem.what();
    EXPECT_NE(message.find("condition 'DQN' in minatar/asterix"), std::string::npos) << message;
    EXPECT_NE(message.find("did you mean 'gamma'"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tarl::study
