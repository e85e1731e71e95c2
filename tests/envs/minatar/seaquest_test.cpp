// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/seaquest.h"

#include "envs/minatar/draw_sources.h"
#include <gtest/gtest.h>

#include "tarl/envs/minatar/draws.h"

namespace tarl::envs::minatar {

namespace {

using minatar_tests::RecordedDraws;

Outcome step(Seaquest& game, int action) {
  RecordedDraws none({}, {});
  return game.step(action, none);
}

// Just below the surface, on the way up.
Seaquest below_surface(int divers_aboard, int oxygen) {
  Seaquest game;
  game.sub_y = 1;
  game.at_surface = 0;
  game.divers_aboard = divers_aboard;
  game.oxygen = oxygen;
  return game;
}

TEST(Seaquest, ComingUpWithoutADiverEndsTheGame) {
  Seaquest game = below_surface(0, 100);
  EXPECT_TRUE(step(game, kUp).terminal);
}

TEST(Seaquest, ComingUpWithADiverCostsOneAndGivesAir) {
  Seaquest game = below_surface(3, 100);
  const Outcome outcome = step(game, kUp);
  EXPECT_EQ(outcome.reward, 0);
  EXPECT_FALSE(outcome.terminal);
  EXPECT_EQ(game.divers_aboard, 2);
  EXPECT_EQ(game.oxygen, 200);
  EXPECT_EQ(game.enemy_spawn_speed, 19);
}

TEST(Seaquest, AFullLoadPaysForTheAirLeft) {
  Seaquest game = below_surface(6, 119);
  EXPECT_EQ(step(game, kUp).reward, 5);
  EXPECT_EQ(game.divers_aboard, -1);
}

TEST(Seaquest, AirRunsOutUnderWater) {
  Seaquest game = below_surface(1, 1);
  EXPECT_FALSE(step(game, kNoop).terminal);
  EXPECT_TRUE(step(game, kNoop).terminal);
}

TEST(Seaquest, NoEnemySpawnsAgainstTheTraffic) {
  const std::int64_t kinds[] = {0, 0, 8};
  const double from_left_fish_row_4[] = {0.1, 0.9, 3};
  Seaquest game;
  game.enemy_spawn_timer = 0;
  game.enemy_subs.add({.x = 5, .y = 4, .right = 0, .timer = 3, .shot = 8});
  RecordedDraws draws(kinds, from_left_fish_row_4);
  game.step(kNoop, draws);
  EXPECT_EQ(draws.used(), 3);
  EXPECT_EQ(game.fish.size, 0);
  game.enemy_subs.item[0].right = 1;
  game.enemy_spawn_timer = 0;
  RecordedDraws again(kinds, from_left_fish_row_4);
  game.step(kNoop, again);
  EXPECT_EQ(game.fish.size, 1);
}

TEST(Seaquest, ABulletHitsTheFishBeforeTheSubmarine) {
  Seaquest game;
  game.sub_y = 4;
  game.fish.add({.x = 4, .y = 4, .right = 1, .timer = 5});
  game.enemy_subs.add({.x = 4, .y = 4, .right = 1, .timer = 5, .shot = 5});
  EXPECT_EQ(step(game, kFire).reward, 1);
  EXPECT_EQ(game.fish.size, 0);
  EXPECT_EQ(game.enemy_subs.size, 1);
  EXPECT_EQ(game.bullets.size, 0);
}

TEST(Seaquest, ASubmarineShootsInTheStepInWhichItLeaves) {
  Seaquest game;
  game.sub_y = 2;
  game.enemy_subs.add({.x = 0, .y = 7, .right = 0, .timer = 0, .shot = 0});
  game.enemy_subs.add({.x = 6, .y = 7, .right = 0, .timer = 3, .shot = 0});
  step(game, kNoop);
  EXPECT_EQ(game.enemy_subs.size, 1);
  ASSERT_EQ(game.enemy_bullets.size, 1);  // the other bullet was off the grid at once
  EXPECT_EQ(game.enemy_bullets.item[0].x, 5);
}

TEST(Seaquest, TakesUpToSixDiversAboard) {
  Seaquest game = below_surface(5, 100);
  game.sub_y = 3;
  game.divers.add({.x = 5, .y = 3, .right = 1, .timer = 4});
  game.divers.add({.x = 5, .y = 3, .right = 1, .timer = 5});
  step(game, kNoop);
  EXPECT_EQ(game.divers_aboard, 6);
  EXPECT_EQ(game.divers.size, 1);
}

// The lists are sized by an argument about lifetimes: drive the game to its fastest and check.
TEST(Seaquest, ListsStayFarWithinTheirSize) {
  Rng rng{5, 0};
  RngDraws draws{rng};
  Seaquest game;
  game.enemy_spawn_speed = 1;  // faster than a player can bring about at this move speed
  game.ramping = 0;
  int most = 0;
  for (int t = 0; t < 20'000; ++t) {
    game.terminal = 0;
    game.step(draws.index(kAllActions), draws);
    ASSERT_LE(game.fish.size + game.enemy_subs.size, Seaquest::kMaxEnemies);
    ASSERT_LE(game.enemy_bullets.size, Seaquest::kMaxEnemies);
    ASSERT_LE(game.divers.size, 2);
    ASSERT_LE(game.bullets.size, 2);
    most = larger(most, game.fish.size + game.enemy_subs.size);
  }
  EXPECT_GT(most, 20);
}

}  // namespace

}  // namespace tarl::envs::minatar
