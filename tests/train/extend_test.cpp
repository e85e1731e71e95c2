// SPDX-License-Identifier: MIT
#include "tarl/train/extend.h"

#include "store/checkpoint_examples.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

constexpr const char* kOutputs[] = {"model.safetensors", "evaluations.npz", "evaluations.csv",
                                    "progress.csv", "monitor.csv"};

void expect_same_files(const fs::path& one, const fs::path& other) {
  for (const char* file : kOutputs)
    EXPECT_EQ(read_text(one / file), read_text(other / file)) << file;
}

// The request of `tarl train --resume --out FOLDER --steps STEPS`.
RunRequest longer_run(const fs::path& folder, const std::string& steps) {
  RunRequest request = stored_run(folder);
  ConfigRequest asked;
  asked.steps = steps;
  request.config = resumed(request.config, asked, folder.string());
  return request;
}

const std::vector<std::string> kKept = {"checkpoint.keep=true"};
const std::vector<std::string> kConstant = {"checkpoint.keep=true", "exploration_initial_eps=0.1",
                                            "exploration_final_eps=0.1"};

std::vector<std::string> twice(std::vector<std::string> settings) {
  settings.insert(settings.end(), {"steps=800", "eval.count=8"});
  return settings;
}

TEST(Extend, AFinishedRunMadeLongerIsTheLongRunWhereNoScheduleDependsOnItsLength) {
  const TemporaryFolder root;
  run_training(small_run(root / "run", false, kConstant));
  run_training(small_run(root / "long", false, twice(kConstant)));
  EXPECT_EQ(run_training(longer_run(root / "run", "800")).end, RunEnd::kFinished);
  expect_same_files(root / "run", root / "long");
  EXPECT_EQ(run_training(longer_run(root / "run", "800")).end, RunEnd::kAlreadyFinished);
  EXPECT_EQ(stored_config(root / "run").extended.at, std::vector<std::int64_t>{400});
}

TEST(Extend, WhereOneDependsTheSettingsRepeatTheRunFromTheStart) {
  const TemporaryFolder root;
  const std::vector<std::string> decaying = {"checkpoint.keep=true", "exploration_fraction=0.9",
                                             "replay.kind=per"};
  run_training(small_run(root / "run", false, decaying));
  run_training(small_run(root / "long", false, twice(decaying)));
  std::string told;
  RunRequest request = longer_run(root / "run", "800");
  request.notice = [&](const std::string& line) { told += line; };
  run_training(request);
  EXPECT_NE(told.find("the new number of steps applies to: exploration_fraction, replay.beta"),
            std::string::npos)
      << told;
  EXPECT_NE(read_text(root / "run/model.safetensors"), read_text(root / "long/model.safetensors"));

  RunRequest again = small_run(root / "again");
  again.config = stored_config(root / "run");
  run_training(again);
  expect_same_files(root / "run", root / "again");
}

// Stopped, extended, stopped, extended again; then the checkpoints from there on are lost, and what
// was computed with the earlier number of steps is recomputed.
TEST(Extend, AnExtendedRunIsStoppedAndResumedToTheBit) {
  const TemporaryFolder root;
  const fs::path run = root / "run", checkpoints = run / "checkpoints";
  stopped_run(small_run(run, false, {"exploration_fraction=0.9"}), 150);
  stopped_run(longer_run(run, "800"), 500);
  fs::copy(checkpoints, root / "before", fs::copy_options::recursive);
  stopped_run(longer_run(run, "1200"), 900);
  fs::remove_all(checkpoints);
  fs::remove_all(root / "before" / store::names(root / "before").back());
  fs::copy(root / "before", checkpoints, fs::copy_options::recursive);
  EXPECT_EQ(run_training(stored_run(run)).end, RunEnd::kFinished);

  const RunConfig config = stored_config(run);
  EXPECT_EQ(config.extended.from, (std::vector<std::int64_t>{400, 800}));
  RunRequest again = small_run(root / "again");
  again.config = config;
  run_training(again);
  expect_same_files(run, root / "again");
}

// As a program does that holds on to its run: Python's learn(), called again.
TEST(Extend, ARunMadeLongerWhileItIsOpenIsFinishedAtItsNewEnd) {
  const TemporaryFolder root;
  {
    train::Run run(small_run(root / "run", false, kKept));
    run.train();
    run.set_steps(800);
    EXPECT_EQ(run.train().end, RunEnd::kFinished);
  }
  EXPECT_TRUE(is_finished(root / "run", stored_config(root / "run")));
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kAlreadyFinished);
  EXPECT_EQ(run_training(longer_run(root / "run", "1200")).end, RunEnd::kFinished);
}

TEST(Extend, AFinishedRunWithoutCheckpointsIsLeftAsItWas) {
  const TemporaryFolder root;
  run_training(small_run(root / "run"));
  EXPECT_FALSE(fs::exists(root / "run/checkpoints"));
  const std::string before = read_text(root / "run/run.json");
  const std::string problem = error_of([&] { run_training(longer_run(root / "run", "800")); });
  EXPECT_NE(problem.find("checkpoint.keep = true"), std::string::npos) << problem;
  EXPECT_TRUE(test::is_one_line(problem));
  EXPECT_EQ(read_text(root / "run/run.json"), before);
  EXPECT_TRUE(fs::exists(root / "run/model.safetensors"));
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kAlreadyFinished);
}

TEST(Extend, AKeptRunHasACheckpointOfItsEnd) {
  const TemporaryFolder root;
  run_training(small_run(root / "run", false, kKept));
  EXPECT_EQ(store::names(root / "run/checkpoints"),
            (std::vector<std::string>{"step_000000000300", "step_000000000400"}));
}

TEST(Extend, WhatCannotBeIsRefusedInALine) {
  const TemporaryFolder root;
  run_training(small_run(root / "run", false, kKept));
  const RunConfig stored = stored_config(root / "run");
  const auto refusal = [&](ConfigRequest asked) {
    return error_of([&] { resumed(stored, asked, "run"); });
  };
  EXPECT_NE(refusal({.steps = "450"}).find("choose 500 steps"), std::string::npos);
  EXPECT_NE(refusal({.steps = "300"}).find("steps: 400 -> 300"), std::string::npos);
  EXPECT_NE(refusal({.algo = "sac"}).find("algo: \"dqn\" -> \"sac\""), std::string::npos);
  EXPECT_NE(refusal({.env = "classic/acrobot"}).find("-> \"classic/acrobot\""), std::string::npos);
  EXPECT_NE(refusal({.seed = "3"}).find("seed: 0 -> 3"), std::string::npos);
  EXPECT_NE(refusal({.steps = "800", .set = {"gamma=0.5"}}).find("gamma: 0.99 -> 0.5"),
            std::string::npos);
  EXPECT_NE(refusal({.set = {"extended.at=[3]"}}).find("extended.at"), std::string::npos);
}

TEST(Extend, SettingsThatAgreeMayBeNamedAgain) {
  const TemporaryFolder root;
  run_training(small_run(root / "run", false, kKept));
  const RunConfig stored = stored_config(root / "run");
  const RunConfig longer = resumed(stored,
                                   {.algo = "dqn",
                                    .env = "CartPole-v1",
                                    .seed = "0",
                                    .steps = "600",
                                    .set = {"eval.count=4", "batch_size=4", "log.csv=false"}},
                                   "run");
  EXPECT_EQ(longer.eval.count, 6);
  EXPECT_FALSE(longer.log.csv);
  EXPECT_TRUE(wants_extension(longer));
  EXPECT_EQ(resumed(stored, {.set = {"checkpoint.keep=false"}}, "run").checkpoint.keep, false);
}

TEST(Extend, SchedulesCountWithTheNumberInForce) {
  RunConfig config;
  config.steps = 300;
  config.extended = {{100, 200}, {80, 200}};
  const std::pair<std::int64_t, std::int64_t> expected[] = {{1, 100},   {80, 100},  {81, 200},
                                                            {200, 200}, {201, 300}, {300, 300}};
  for (const auto& [step, steps] : expected) EXPECT_EQ(steps_in_force(config, step), steps) << step;
}

}  // namespace
}  // namespace tarl::train
