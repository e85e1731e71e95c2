// SPDX-License-Identifier: MIT
#include "tarl/envs/registry.h"

#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/envs/classic/pendulum.h"
#include "tarl/envs/gymnasium_names.h"

namespace tarl::envs {

namespace {

const std::vector<std::string> kFamilies = {"atari/", "box2d/", "mujoco/"};

TEST(Registry, FindsEveryNameOfGymnasiumWhoseSimulatorIsBuilt) {
  for (const std::string& family : kFamilies) {
    if (registry().missing().contains(family)) continue;
    for (const std::string& name : gymnasium_names(family)) {
      EXPECT_TRUE(registry().find(name).name.starts_with(family)) << name;
    }
  }
}

TEST(Registry, EveryTaskOfASimulatorHasGymnasiumsName) {
  for (const auto& [name, entry] : registry().entries())
    EXPECT_FALSE(entry.aliases.empty()) << name;
}

TEST(Registry, AGymnasiumNameOfAMissingFamilySaysWhatBringsIt) {
  Registry bare;
  for (const std::string& family : kFamilies) {
    bare.note_missing(family, {"bring " + family, gymnasium_names(family)});
  }
  for (const auto& [name, family] :
       {std::pair{"Hopper-v4", "mujoco/"}, std::pair{"hopper-v5", "mujoco/"},
        std::pair{"mujoco/hopper", "mujoco/"}, std::pair{"LunarLander-v3", "box2d/"},
        std::pair{"BreakoutNoFrameskip-v4", "atari/"}, std::pair{"ALE/Breakout-v5", "atari/"}}) {
    const std::string said = test::error_of([&] { bare.find(name); });
    EXPECT_EQ(said, std::string(name) + ": bring " + family);
  }
}

TEST(Registry, AnEnvironmentOfPythonsSaysWhoHasIt) {
  const std::string problem =
      test::error_of([] { registry().find(kPythonFamily + std::string("CartPole-v1")); });
  EXPECT_NE(problem.find("tarl.resume(RUN)"), std::string::npos) << problem;
}

TEST(Registry, AnOldVersionIsAnsweredWithTheOneThereIs) {
  Registry bare;
  add_classic(bare);
  bare.note_missing("box2d/", {"bring it", gymnasium_names("box2d/")});
  const auto said = [&](const char* name) { return test::error_of([&] { bare.find(name); }); };
  EXPECT_NE(said("LunarLander-v2").find("'LunarLander-v3'"), std::string::npos);
  EXPECT_NE(said("CartPole-v0").find("'CartPole-v1'"), std::string::npos);
  EXPECT_NE(said("classic/cart_pole").find("'classic/cartpole'"), std::string::npos);
}

TEST(Registry, AnEntryDescribesWhatItMakes) {
  Registry own;
  add_classic(own);
  EXPECT_EQ(own.find("Acrobot-v1").describe().obs.size(), 6);
  for (const char* name : {"atari/pong", "atari/pong-v5"}) {
    if (!kAleBuilt) break;
    const Entry& entry = registry().find(name);
    const auto made = entry.make(entry.completed({}), seeded(1));
    EXPECT_EQ(entry.describe().obs, made->spec().obs);
    EXPECT_EQ(entry.describe().action.count, made->spec().action.count);
  }
}

TEST(Registry, EntriesSayWhatEnvironmentsDo) {
  int made = 0;
  for (const auto& [name, entry] : registry().entries()) {
    try {
      registry().make(name, seeded(1));  // throws if entry and environment disagree
      ++made;
    } catch (const Error& problem) {
      // A ROM that this machine does not have.
      EXPECT_TRUE(name.starts_with("atari/")) << problem.what();
      EXPECT_NE(std::string(problem.what()).find("ROM"), std::string::npos) << problem.what();
    }
  }
  EXPECT_GE(made, 12);
}

TEST(Registry, AnEntryThatDisagreesWithItsEnvironmentIsNamed) {
  Registry own;
  own.add({"my/pendulum", {}, "", [](const EnvConfig&, Rng rng) {
             return classic::make_pendulum(rng);
           }});
  const std::string problem = test::error_of([&] { own.make("my/pendulum", seeded(1)); });
  EXPECT_NE(problem.find("my/pendulum"), std::string::npos) << problem;
  EXPECT_NE(problem.find("action_size"), std::string::npos) << problem;
}

TEST(Registry, CompletesWhatIsLeftOpenAndNothingElse) {
  const Entry& breakout = registry().find("minatar/breakout");
  EXPECT_EQ(breakout.completed({}).sticky_actions, 0.1);
  EXPECT_EQ(breakout.completed({.sticky_actions = 0}).sticky_actions, 0);
  EXPECT_FALSE(breakout.completed({.ramping = false}).ramping);
  EXPECT_THROW(breakout.make({}, seeded(1)), std::logic_error);
}

}  // namespace

}  // namespace tarl::envs
