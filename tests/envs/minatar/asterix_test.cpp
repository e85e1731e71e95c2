// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/asterix.h"

#include "envs/minatar/draw_sources.h"
#include <gtest/gtest.h>

#include "tarl/envs/minatar/draws.h"

namespace tarl::envs::minatar {

namespace {

using minatar_tests::RecordedDraws;

// A fresh game with one entity beside the player at (5, 5), which waits there.
Asterix beside_player(bool gold) {
  Asterix game;
  game.slot[4] = {.present = 1, .x = 6, .right = 0, .gold = static_cast<std::int8_t>(gold)};
  return game;
}

TEST(Asterix, GoldIsWorthAPointAndDisappears) {
  RecordedDraws none({}, {});
  Asterix game = beside_player(true);
  const Outcome outcome = game.step(kRight, none);
  EXPECT_EQ(outcome.reward, 1);
  EXPECT_FALSE(outcome.terminal);
  EXPECT_EQ(game.slot[4].present, 0);
}

TEST(Asterix, AnEnemyEndsTheGameAndNothingMovesAfterwards) {
  RecordedDraws none({}, {});
  Asterix game = beside_player(false);
  EXPECT_TRUE(game.step(kRight, none).terminal);
  const int timer = game.move_timer;
  const Outcome after = game.step(kLeft, none);
  EXPECT_EQ(after.reward, 0);
  EXPECT_TRUE(after.terminal);
  EXPECT_EQ(game.player_x, 6);
  EXPECT_EQ(game.move_timer, timer);
}

TEST(Asterix, SpawnsInTheDrawnFreeRow) {
  Asterix game;
  game.spawn_timer = 0;
  game.slot[0].present = 1;
  game.slot[1].present = 1;
  // From the right (0.7), gold (0.2), third of the six free rows: slot 4.
  const std::int64_t kinds[] = {0, 0, 6};
  const double values[] = {0.7, 0.2, 2};
  RecordedDraws draws(kinds, values);
  game.step(kUp, draws);
  EXPECT_EQ(game.slot[4].present, 1);
  EXPECT_EQ(game.slot[4].x, 9);
  EXPECT_EQ(game.slot[4].right, 0);
  EXPECT_EQ(game.slot[4].gold, 1);
  EXPECT_EQ(game.spawn_timer, 9);
}

TEST(Asterix, SpawnsNothingWhereEveryRowIsTaken) {
  Asterix game;
  game.spawn_timer = 0;
  for (Asterix::Entity& entity : game.slot) entity.present = 1;
  const std::int64_t kinds[] = {0, 0};
  const double values[] = {0.7, 0.2};
  RecordedDraws draws(kinds, values);
  game.step(kNoop, draws);
  EXPECT_EQ(draws.used(), 2);
}

int spawn_speed_after(int steps, int ramping) {
  Rng rng{1, 0};
  RngDraws draws{rng};
  Asterix game;
  game.ramping = ramping;
  for (int t = 0; t < steps; ++t) {
    game.terminal = 0;
    game.step(kNoop, draws);
  }
  return game.spawn_speed;
}

TEST(Asterix, GetsHarderEvery102Steps) {
  EXPECT_EQ(spawn_speed_after(101, 1), 10);
  EXPECT_EQ(spawn_speed_after(102, 1), 9);
  EXPECT_EQ(spawn_speed_after(203, 1), 9);
  EXPECT_EQ(spawn_speed_after(204, 1), 8);
  EXPECT_EQ(spawn_speed_after(5000, 1), 1);
  EXPECT_EQ(spawn_speed_after(5000, 0), 10);
}

}  // namespace

}  // namespace tarl::envs::minatar
