// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/space_invaders.h"

#include "envs/minatar/draw_sources.h"
#include <gtest/gtest.h>

namespace tarl::envs::minatar {

namespace {

Outcome step(SpaceInvaders& game, int action) {
  minatar_tests::RecordedDraws none({}, {});
  return game.step(action, none);
}

SpaceInvaders fresh() {
  minatar_tests::RecordedDraws none({}, {});
  SpaceInvaders game;
  game.reset(none);
  return game;
}

// A game with a single alien.
SpaceInvaders with_alien(int row, int column) {
  SpaceInvaders game;
  game.alien[row] = static_cast<std::uint16_t>(1 << column);
  return game;
}

TEST(SpaceInvaders, AShotClimbsARowAStepAndTheGunCoolsForFive) {
  SpaceInvaders game = fresh();
  EXPECT_EQ(step(game, kFire).reward, 0);
  for (int t = 0; t < 4; ++t) EXPECT_EQ(step(game, kFire).reward, 0);
  // The bullet left row 9 for 8 in its first step and meets the aliens' row 3 in the sixth.
  EXPECT_EQ(count_bits(game.friendly[4]), 1);
  EXPECT_EQ(step(game, kFire).reward, 1);
  EXPECT_EQ(count_bits(game.alien[3]), 5);
  // The sixth step fired again: the cooldown of the first shot had run out.
  EXPECT_EQ(count_bits(game.friendly[8]), 1);
  EXPECT_EQ(game.cooldown, 4);
}

TEST(SpaceInvaders, TheNearestColumnShootsBackAndOfTwoTheLeft) {
  SpaceInvaders game = with_alien(2, 3);
  game.alien[4] = 1 << 7;
  game.alien_shot_timer = 0;
  step(game, kNoop);
  EXPECT_EQ(game.enemy[2], 1 << 3);
  EXPECT_EQ(game.enemy[4], 0);
  EXPECT_EQ(game.alien_shot_timer, 9);
}

TEST(SpaceInvaders, AnEnemyBulletEndsTheGame) {
  SpaceInvaders game = fresh();
  game.enemy[8] = 1 << 5;
  EXPECT_TRUE(step(game, kNoop).terminal);
}

TEST(SpaceInvaders, AliensTurnAndComeDownAtTheBorder) {
  SpaceInvaders game = with_alien(2, 0);
  game.move_timer = 0;
  EXPECT_FALSE(step(game, kNoop).terminal);
  EXPECT_EQ(game.alien[3], 1);
  EXPECT_EQ(game.alien_step, 1);
  EXPECT_EQ(game.move_timer, 0);  // one alien moves every step
  step(game, kNoop);
  EXPECT_EQ(game.alien[3], 2);
}

TEST(SpaceInvaders, AliensThatLandEndTheGame) {
  SpaceInvaders game = with_alien(9, 0);
  game.move_timer = 0;
  EXPECT_TRUE(step(game, kNoop).terminal);
}

// The pace after the last alien of a wave was shot.
int pace_after_wave(int pace, int ramping) {
  SpaceInvaders game = with_alien(3, 4);
  game.ramping = ramping;
  game.move_interval = pace;
  game.friendly[4] = 1 << 4;
  EXPECT_EQ(step(game, kNoop).reward, 1);
  EXPECT_EQ(game.alien[0], SpaceInvaders::kWaveRow);
  return game.move_interval;
}

TEST(SpaceInvaders, EachWaveIsFasterThanTheLast) {
  EXPECT_EQ(pace_after_wave(12, 1), 11);
  EXPECT_EQ(pace_after_wave(6, 1), 6);
  EXPECT_EQ(pace_after_wave(12, 0), 12);
}

}  // namespace

}  // namespace tarl::envs::minatar
