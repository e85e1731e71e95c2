// SPDX-License-Identifier: MIT
#include "tarl/envs/registry.h"

#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/envs/classic/pendulum.h"

namespace tarl::envs {
namespace {

TEST(Registry, EntriesSayWhatEnvironmentsDo) {
  int made = 0;
  for (const auto& [name, entry] : registry().entries()) {
    try {
      registry().make(name, seeded(1));  // throws where entry and environment disagree
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
