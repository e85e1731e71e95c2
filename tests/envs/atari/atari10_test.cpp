// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/atari10.h"

#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/envs/registry.h"

namespace tarl::envs::atari {

namespace {

TEST(Atari10, NormalisesBetweenRandomAndHuman) {
  const auto game = reference_scores("atari/phoenix");
  ASSERT_TRUE(game.has_value());
  EXPECT_EQ(human_normalised(*game, 761.4), 0);
  EXPECT_EQ(human_normalised(*game, 7242.6), 1);
  EXPECT_NEAR(human_normalised(*reference_scores("atari/double_dunk"), -17.475), 0.5, 1e-12);
}

TEST(Atari10, KnowsTenGamesWhateverTheirRules) {
  EXPECT_EQ(atari10().size(), 10U);
  EXPECT_EQ(reference_scores("atari/qbert-v5")->env, "atari/qbert");
  EXPECT_FALSE(reference_scores("atari/pong").has_value());
  EXPECT_FALSE(reference_scores("minatar/breakout").has_value());
}

TEST(Atari10, EveryGameIsAnEnvironment) {
  if (!kAleBuilt) GTEST_SKIP() << "built without the Arcade Learning Environment";
  for (const ReferenceScores& game : atari10()) {
    EXPECT_EQ(registry().find(game.env).name, game.env);
  }
}

}  // namespace

}  // namespace tarl::envs::atari
