// SPDX-License-Identifier: MIT
//
// The fleet against the CPU, step by step: actions, drawn slots and kept rows.
#include "fleet/gpu/first_split.h"
#include "fleet/gpu/fleet_helpers.h"
#include "fleet/gpu/score_cases.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

std::vector<test::Case> cases() {
  std::vector<test::Case> all;
  for (const char* game : {"asterix", "breakout", "freeway", "space_invaders", "seaquest"}) {
    for (const char* algo : {"dqn", "ta-dqn", "ddqn", "ta-ddqn"}) {
      for (const char* replay : {"", "+per", "+reaper"}) {
        all.push_back({std::string(algo) + replay, std::string("minatar/") + game, {}});
      }
    }
  }
  const std::string breakout = "minatar/breakout";
  all.push_back({"ta-dqn", breakout, {"align.margin=3", "train_freq=4"}});
  all.push_back({"ta-dqn", breakout, {"align.margin=0.1"}});
  all.push_back({"dqn", breakout, {"batch_size=64", "align.log=true"}});
  all.push_back({"ta-dqn", breakout, {"loss=mse", "max_grad_norm=0.1"}});
  all.push_back({"ta-dqn", breakout, {"policy.net_arch=[512,64,64]", "dueling=true"}});
  all.push_back({"ta-dqn", breakout, {"optimizer=adam", "tau=0.3"}});
  all.push_back({"ta-dqn", breakout, {"rmsprop.centered=true", "align.mode=weight"}});
  all.push_back({"ta-dqn+per", breakout, {"replay.draw=stratified", "align.mode=scale"}});
  all.push_back({"dqn", breakout, {"align.mode=prioritize"}});
  all.push_back({"ddqn", "minatar/asterix", {"align.mode=prioritize", "align.kappa=2", "tau=0.3"}});
  for (test::Case& c : test::score_cases()) all.push_back(std::move(c));
  return all;
}

TEST(FleetParity, F32DrawsAndKeepsWhatTheCpuDoes) {
  for (const test::Case& c : cases()) {
    std::string what;
    double distance = 0;
    const std::int64_t split =
        test::first_split(test::short_run(c.algo, c.env, c.set), what, distance);
    std::printf("%-60s %s distance %.3g\n", test::name_of(c).c_str(),
                split == 0 ? "equal for 1000 steps,"
                           : ("SPLIT at " + std::to_string(split) + " in " + what + ",").c_str(),
                distance);
    EXPECT_EQ(split, 0) << test::name_of(c) << ": " << what;
    EXPECT_LT(distance, 1e-4) << test::name_of(c);
  }
}

TEST(FleetParity, RunFoldersAreTheCpus) {
  for (const char* algo : {"ta-dqn", "dqn+reaper"}) {
    const train::RunConfig config = test::short_run(algo, "minatar/asterix", {"eval.count=4"});
    tarl::test::TemporaryFolder cpu, gpu;
    train::run_training({.config = config, .folder = cpu.path() / "run"});
    ASSERT_EQ(test::work(config, gpu.path() / "run"), FleetRun::State::kFinished);
    for (const char* file : {"evaluations.npz", "evaluations.csv", "monitor.csv", "config.toml"}) {
      EXPECT_EQ(test::bytes_of(cpu.path() / "run" / file),
                test::bytes_of(gpu.path() / "run" / file))
          << algo << " " << file;
    }
    EXPECT_TRUE(fs::exists(gpu.path() / "run" / "model.safetensors"));
  }
}

}  // namespace
}  // namespace tarl::fleet
