// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/breakout.h"

#include "envs/minatar/draw_sources.h"
#include <gtest/gtest.h>

namespace tarl::envs::minatar {

namespace {

using minatar_tests::RecordedDraws;

// The ball on its way down at column 3 above the paddle's row.
Breakout before_paddle(int paddle) {
  Breakout game;
  game.ball_x = 3;
  game.ball_y = 8;
  game.direction = 2;
  game.paddle = paddle;
  game.bricks = Breakout::kWall;
  return game;
}

Outcome step(Breakout& game, int action) {
  RecordedDraws none({}, {});
  return game.step(action, none);
}

TEST(Breakout, StartsOnTheDrawnSide) {
  const std::int64_t kinds[] = {2, 2};
  const double values[] = {0, 1};
  RecordedDraws draws(kinds, values);
  Breakout game;
  game.reset(draws);
  EXPECT_EQ(game.ball_x, 0);
  EXPECT_EQ(game.direction, 2);
  game.reset(draws);
  EXPECT_EQ(game.ball_x, 9);
  EXPECT_EQ(game.direction, 3);
  EXPECT_EQ(game.ball_y, 3);
  EXPECT_EQ(count_bits(game.bricks), 30);
}

TEST(Breakout, BouncesStraightWhereTheBallWasAboveThePaddle) {
  Breakout game = before_paddle(3);
  EXPECT_FALSE(step(game, kNoop).terminal);
  EXPECT_EQ(game.ball_x, 4);
  EXPECT_EQ(game.ball_y, 8);
  EXPECT_EQ(game.direction, 1);
}

TEST(Breakout, BouncesBackWhereTheBallComesToThePaddle) {
  Breakout game = before_paddle(3);
  EXPECT_FALSE(step(game, kRight).terminal);
  EXPECT_EQ(game.paddle, 4);
  EXPECT_EQ(game.direction, 0);
}

TEST(Breakout, EndsWhereThePaddleMisses) {
  Breakout game = before_paddle(3);
  game.paddle = 6;
  EXPECT_TRUE(step(game, kNoop).terminal);
}

TEST(Breakout, RebuildsAClearedWallWhenTheBallIsDown) {
  Breakout game = before_paddle(3);
  game.bricks = 0;
  step(game, kNoop);
  EXPECT_EQ(game.bricks, Breakout::kWall);
}

TEST(Breakout, BreaksOneBrickAndPassesTheNextUntilItIsOutOfTheWall) {
  Breakout game = before_paddle(3);
  game.ball_y = 4;
  game.direction = 1;
  EXPECT_EQ(step(game, kNoop).reward,
            1);  // the brick at row 3, column 4 is gone, the ball at row 4
  EXPECT_EQ(game.ball_y, 4);
  EXPECT_EQ(game.direction, 2);
  EXPECT_EQ(count_bits(game.bricks), 29);
  game.direction = 0;  // back up into the wall at once
  EXPECT_EQ(step(game, kNoop).reward, 0);
  EXPECT_EQ(game.ball_y, 3);
  EXPECT_EQ(game.strike, 1);
  EXPECT_EQ(count_bits(game.bricks), 29);
}

TEST(Breakout, TurnsAtTheSideAndAtTheTop) {
  Breakout game = before_paddle(3);
  game.bricks = 0;
  game.ball_x = 9;
  game.ball_y = 0;
  game.direction = 1;
  step(game, kNoop);
  EXPECT_EQ(game.ball_x, 9);
  EXPECT_EQ(game.ball_y, 0);
  EXPECT_EQ(game.direction, 3);
}

}  // namespace

}  // namespace tarl::envs::minatar
