// SPDX-License-Identifier: MIT
//
// Whole runs of a fleet: repeated, concurrent, stopped and resumed.
#include "fleet/gpu/fleet_helpers.h"
#include "fleet/gpu/score_cases.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/fleet/benchmark.h"

namespace tarl::fleet {
namespace {

constexpr const char* kFiles[] = {"evaluations.npz",
                                  "evaluations.csv",
                                  "monitor.csv",
                                  "progress.csv",
                                  "events.out.tfevents.0.tarl",
                                  "model.safetensors",
                                  "best_model.safetensors"};

void expect_same_files(const fs::path& a, const fs::path& b) {
  for (const char* file : kFiles)
    EXPECT_EQ(test::bytes_of(a / file), test::bytes_of(b / file)) << file;
}

std::vector<std::string> precisions() {
  return {"f32", "tf32", "fp16"};
}

TEST(FleetMargins, AreMeasuredOnTheDevice) {
  const train::RunConfig asked =
      train::resolve({.algo = "ta-dqn", .env = "minatar/breakout", .margin = "auto"});
  const train::RunConfig settled = train::with_margin(
      asked, 1, [](const std::string& line) { std::printf("%s\n", line.c_str()); },
      fleet_margins(2));
  EXPECT_GE(settled.align.margin, 1);
  EXPECT_EQ(why_not(settled), "");
}

TEST(FleetRuns, RepeatedRunsAreEqualToTheBit) {
  for (const std::string& precision : precisions()) {
    for (const char* algo : {"dqn", "ta-dqn", "ta-dqn+per", "ta-dqn+reaper"}) {
      const train::RunConfig config =
          test::short_run(algo, "minatar/breakout", {"fleet.precision=" + precision});
      SCOPED_TRACE(precision + " " + algo);
      tarl::test::TemporaryFolder folder;
      for (const char* name : {"a", "b"}) test::work(config, folder.path() / name);
      expect_same_files(folder.path() / "a", folder.path() / "b");
    }
  }
}

TEST(FleetRuns, ScoresAndRulesForTerminalsStopAndResumeToTheBit) {
  for (const std::string& precision : precisions()) {
    for (const test::Case& c : test::score_cases()) {
      std::vector<std::string> set = c.set;
      set.insert(set.end(), {"fleet.precision=" + precision, "checkpoint.every=130"});
      const train::RunConfig config = test::short_run(c.algo, c.env, set);
      SCOPED_TRACE(precision + " " + test::name_of(c));
      tarl::test::TemporaryFolder folder;
      test::work(config, folder.path() / "whole");
      EXPECT_EQ(test::work(config, folder.path() / "parts", 4), FleetRun::State::kStopped);
      EXPECT_EQ(test::work(config, folder.path() / "parts"), FleetRun::State::kFinished);
      expect_same_files(folder.path() / "whole", folder.path() / "parts");
    }
  }
}

TEST(FleetRuns, StoppedAndResumedRunsAreEqualToTheBit) {
  for (const std::string& precision : precisions()) {
    for (const char* algo : {"ta-dqn", "dqn+per", "ta-dqn+reaper"}) {
      const train::RunConfig config =
          test::short_run(algo, "minatar/space_invaders",
                          {"fleet.precision=" + precision, "checkpoint.every=130", "eval.count=4"});
      SCOPED_TRACE(precision + " " + algo);
      tarl::test::TemporaryFolder folder;
      test::work(config, folder.path() / "whole");
      for (const int slices : {3, 2, 4}) {
        EXPECT_EQ(test::work(config, folder.path() / "parts", slices), FleetRun::State::kStopped);
      }
      EXPECT_EQ(test::work(config, folder.path() / "parts"), FleetRun::State::kFinished);
      expect_same_files(folder.path() / "whole", folder.path() / "parts");
    }
  }
}

// Short enough for compute-sanitizer.
TEST(FleetShort, EveryKindOfReplayRunsToItsEnd) {
  for (const std::string& precision : precisions()) {
    for (const char* algo : {"dqn", "ta-dqn+per", "ta-dqn+reaper"}) {
      const train::RunConfig config =
          test::short_run(algo, "minatar/breakout",
                          {"fleet.precision=" + precision, "steps=140", "learning_starts=60",
                           "buffer_size=90", "target_update_interval=20"});
      const auto agent = test::new_device_agent(config);
      test::advance(*agent, config.steps);
      EXPECT_EQ(agent->state().updates, 80) << precision << " " << algo;
    }
  }
}

TEST(FleetRuns, AnAgentAloneIsTheSameAgentInAFleet) {
  for (const std::string& precision : precisions()) {
    std::vector<std::unique_ptr<DeviceAgent>> fleet;
    std::vector<train::RunConfig> configs;
    const char* algos[] = {"dqn", "ta-dqn", "ta-ddqn", "dqn+per", "ta-dqn+per", "ta-dqn+reaper"};
    const char* games[] = {"asterix", "breakout", "freeway", "space_invaders", "seaquest"};
    for (int i = 0; i < 120; ++i) {
      configs.push_back(test::short_run(
          algos[i % 6], std::string("minatar/") + games[i % 5],
          {"seed=" + std::to_string(i), "fleet.precision=" + precision,
           i % 7 == 0 ? "train_freq=4" : "train_freq=1", i % 4 == 1 ? "loss=mse" : "loss=huber"}));
    }
    for (const auto& config : configs) fleet.push_back(test::new_device_agent(config));
    for (auto& agent : fleet) agent->start(agent->state(), 400);
    for (auto& agent : fleet) {
      while (!agent->ended()) {
      }
    }
    for (const std::size_t i : {0U, 1U, 5U, 17U, 53U, 119U}) {
      const auto alone = test::new_device_agent(configs[i]);
      test::advance(*alone, 400);
      EXPECT_EQ(test::hash_of(*alone), test::hash_of(*fleet[i])) << precision << " agent " << i;
    }
  }
}

}  // namespace
}  // namespace tarl::fleet
