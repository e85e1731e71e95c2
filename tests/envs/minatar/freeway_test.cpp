// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/freeway.h"

#include <vector>

#include "envs/minatar/draw_sources.h"
#include <gtest/gtest.h>

#include "tarl/envs/minatar/draws.h"

namespace tarl::envs::minatar {

namespace {

using minatar_tests::RecordedDraws;

// Draws of one traffic change: every lane at `speed`, to the right.
struct Traffic {
  explicit Traffic(int speed) : kinds(8, 5), values(8, speed - 1) {
    kinds.resize(16, 0);
    values.resize(16, 0.9);
  }

  std::vector<std::int64_t> kinds;
  std::vector<double> values;
};

TEST(Freeway, AnEpisodeLasts2501Steps) {
  Rng rng{3, 0};
  RngDraws draws{rng};
  Freeway game;
  game.reset(draws);
  int steps = 0;
  while (!game.step(kNoop, draws).terminal) ++steps;
  EXPECT_EQ(steps + 1, 2501);
}

TEST(Freeway, ACarMovesOnceEverySpeedPlusOneSteps) {
  const Traffic traffic(3);
  RecordedDraws draws(traffic.kinds, traffic.values);
  Freeway game;
  game.reset(draws);
  for (int t = 1; t <= 44; ++t) {
    game.step(kNoop, draws);
    EXPECT_EQ(game.car[0].x, t / 4 % 10) << t;
  }
}

TEST(Freeway, TheChickenMovesEveryThirdStep) {
  const Traffic traffic(5);
  RecordedDraws draws(traffic.kinds, traffic.values);
  Freeway game;
  game.reset(draws);
  std::vector<int> rows;
  for (int t = 0; t < 7; ++t) {
    game.step(kUp, draws);
    rows.push_back(game.chicken_y);
  }
  EXPECT_EQ(rows, (std::vector<int>{9, 9, 9, 8, 8, 8, 7}));
}

TEST(Freeway, ACrossingScoresAndChangesTheTraffic) {
  const Traffic traffic(2);
  RecordedDraws draws(traffic.kinds, traffic.values);
  Freeway game;
  game.chicken_y = 1;
  game.move_timer = 0;
  game.car[0].x = 7;
  EXPECT_EQ(game.step(kUp, draws).reward, 1);
  EXPECT_EQ(draws.used(), 16);
  EXPECT_EQ(game.chicken_y, 9);
  EXPECT_EQ(game.car[0].x, 7);
  EXPECT_EQ(game.car[0].speed, 2);
}

TEST(Freeway, ACarSendsTheChickenBack) {
  RecordedDraws none({}, {});
  Freeway game;
  game.chicken_y = 3;
  game.car[2].x = 3;
  game.car[2].timer = 0;
  EXPECT_EQ(game.step(kNoop, none).reward, 0);
  EXPECT_EQ(game.chicken_y, 9);
}

}  // namespace

}  // namespace tarl::envs::minatar
