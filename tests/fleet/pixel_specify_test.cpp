// SPDX-License-Identifier: MIT
#include "fleet/pixel_env.h"
#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/core/machine.h"
#include "tarl/fleet/device_run.h"
#include "tarl/fleet/pixel_dqn/specify.h"

namespace tarl::fleet {
namespace {

train::RunConfig config_of(const std::string& algo, std::vector<std::string> set = {},
                           const std::string& env = test::pixel_env()) {
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

std::string reason(const std::string& algo, std::vector<std::string> set = {},
                   const std::string& env = test::pixel_env()) {
  return pixel_dqn::why_not(config_of(algo, std::move(set), env));
}

TEST(PixelSpecify, RunsWhatItCan) {
  for (const char* algo : {"dqn", "ta-dqn", "ddqn", "ta-ddqn"}) EXPECT_EQ(reason(algo), "") << algo;
  EXPECT_EQ(reason("ta-ddqn", {"dueling=true", "batch_size=64", "align.margin=3", "n_envs=4"}), "");
  EXPECT_EQ(reason("dqn", {"optimizer=adam", "replay.compress=true", "align.log=true"}), "");
  EXPECT_EQ(reason("ta-ddqn", {"fleet.precision=fp16"}), "");
}

TEST(PixelSpecify, RefusesTheRestByName) {
  const std::string hidden =
      "a fleet on pictures has one hidden layer of at most 1024 units (policy.net_arch)";
  EXPECT_EQ(reason("dqn", {"policy.net_arch=[64,64]"}), hidden);
  EXPECT_EQ(reason("dqn", {"policy.net_arch=[1025]"}), hidden);
  EXPECT_EQ(reason("dqn+per"), "a fleet has no replay.kind = per");
  EXPECT_EQ(reason("ta-dqn+reaper"), "a fleet has no replay.kind = reaper");
  EXPECT_EQ(reason("ta-dqn", {"align.margin=32"}),
            "a fleet on pictures has at most 1024 candidates an update");
  EXPECT_EQ(reason("dqn", {"n_steps=3"}), "a fleet on pictures has n_steps = 1");
  EXPECT_EQ(reason("ta-dqn", {"align.mode=weight"}),
            "a fleet on pictures has align.mode = filter or off");
  EXPECT_EQ(reason("ta-dqn", {"align.score=random"}),
            "a fleet on pictures has align.score = paper and align.terminals = score");
  EXPECT_EQ(reason("dqn", {"on_nan=skip"}), "a fleet on pictures has on_nan = stop");
  EXPECT_EQ(reason("dqn", {"fleet.precision=tf32"}),
            "a fleet on pictures has fleet.precision = f32 or fp16");
  EXPECT_EQ(reason("dqn", {"fleet.blocks=2"}), "a fleet on pictures has fleet.blocks = 1");
  EXPECT_EQ(reason("dqn", {}, "classic/cartpole"),
            "this fleet reads pictures, which classic/cartpole does not show");
  EXPECT_EQ(reason("sac", {}, "classic/pendulum"),
            "this fleet runs dqn and ddqn on pictures, not sac");
}

// The layout is the CPU's: its checkpoints are read as they are.
TEST(PixelSpecify, PlansTheCpusNetwork) {
  const train::RunConfig config = config_of("ta-ddqn", {"dueling=true", "n_envs=3"});
  const pixel_dqn::AgentPlan plan = pixel_dqn::make_plan(config, test::PixelEnv::make_spec());
  EXPECT_EQ(plan.candidates, 64);
  EXPECT_EQ(plan.online_rows(), 128);
  EXPECT_EQ(plan.convs[0].channels, 64);
  EXPECT_EQ(plan.features(), 128);
  EXPECT_EQ(plan.hidden.out, 512);
  EXPECT_EQ(plan.head.out, 6);
  EXPECT_EQ(plan.frames, (config.buffer_size / 3 + 3) * 3);
}

TEST(PixelSpecify, TellsHowMuchMemoryARunNeeds) {
  const train::RunConfig config =
      config_of("ddqn", {"replay.compress=true", "buffer_size=1000000"});
  const Needs needs = needs_of(config);
  EXPECT_GT(needs.host_bytes, 1e6 * test::PixelEnv::kHeight * test::PixelEnv::kWidth / 4);
  EXPECT_GT(needs.device_bytes, needs.host_bytes);
  EXPECT_LT(needs.device_bytes, needs.host_bytes + 100e6);
}

TEST(PixelSpecify, EveryGameOfAtari10Fits) {
  if (!kAleBuilt) GTEST_SKIP() << "ALE is not in this build";
  for (const char* game : {"amidar", "battle_zone", "qbert"}) {
    EXPECT_EQ(reason("ta-ddqn", {}, std::string("atari/") + game), "") << game;
  }
  EXPECT_EQ(std::string(program_for(config_of("ddqn", {}, "atari/pong")).name), "pixel_dqn");
}

const std::vector<Needs> kNeeds = {{10e9, 1e9}, {30e9, 1e9}, {20e9, 5e9}};

TEST(FleetNeeds, AreThoseOfTheLargestRuns) {
  EXPECT_EQ(needs_together(kNeeds, 2).device_bytes, 50e9);
  EXPECT_EQ(needs_together(kNeeds, 2).host_bytes, 6e9);
  EXPECT_EQ(needs_together(kNeeds, 9).device_bytes, 60e9);
  EXPECT_EQ(fitting(kNeeds, {50e9, 100e9}), 2U);
  EXPECT_EQ(fitting(kNeeds, {100e9, 5.5e9}), 1U);
  EXPECT_EQ(fitting(kNeeds, {100e9, 100e9}), 3U);
}

TEST(FleetNeeds, MoreThanFitIsRefused) {
  const auto problem = [&](std::size_t at_once, double device) {
    return tarl::test::error_of(
        [&] { refuse_more_than_fit(kNeeds, at_once, device, "run fewer at a time"); });
  };
  EXPECT_EQ(problem(3, 50e9),
            "3 runs at a time would need about 60.0 GB of GPU memory, of which 50.0 GB can be used "
            "(2 fit); run fewer at a time");
  EXPECT_EQ(problem(2, 50e9), "");
  const std::vector<Needs> huge(2, {1e9, usable_memory_bytes()});
  const std::string host =
      tarl::test::error_of([&] { refuse_more_than_fit(huge, 2, 50e9, "lower buffer_size"); });
  EXPECT_NE(host.find("of this machine's memory"), std::string::npos) << host;
  EXPECT_NE(host.find("(1 fit); lower buffer_size"), std::string::npos) << host;
}

}  // namespace
}  // namespace tarl::fleet
