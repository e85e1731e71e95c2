// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/sticky_game.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/envs/minatar/draws.h"

namespace tarl::envs::minatar {

namespace {

// Shows which action it was given.
struct Echo {
  template <class Draws>
  void reset(Draws&) {}

  template <class Draws>
  Outcome step(int action, Draws&) {
    return {action, false};
  }
};

// Share of steps that executed another action than the requested one, over alternating requests.
double repeated_share(double chance, int steps) {
  Rng rng{11, 0};
  RngDraws draws{rng};
  StickyGame<Echo> play;
  play.last_action = kFire;
  int repeated = 0;
  for (int t = 0; t < steps; ++t) {
    const int last = play.last_action;
    const int requested = last == kFire ? kNoop : kFire;
    repeated += play.step(requested, chance, draws).reward == last ? 1 : 0;
  }
  EXPECT_EQ(rng.counter, static_cast<std::uint64_t>(steps));  // one draw a step, at any chance
  return static_cast<double>(repeated) / steps;
}

TEST(StickyGame, RepeatsTheLastActionWithTheGivenChance) {
  constexpr int kSteps = 100'000;
  EXPECT_NEAR(repeated_share(0.1, kSteps), 0.1, 4 * std::sqrt(0.1 * 0.9 / kSteps));
  EXPECT_EQ(repeated_share(0, 1000), 0);
  EXPECT_EQ(repeated_share(1, 1000), 1);
}

TEST(StickyGame, RemembersTheExecutedActionAcrossResets) {
  Rng rng{11, 0};
  RngDraws draws{rng};
  StickyGame<Echo> play;
  EXPECT_EQ(play.step(kUp, 1, draws).reward, kNoop);
  EXPECT_EQ(play.step(kUp, 0, draws).reward, kUp);
  play.reset(draws);
  EXPECT_EQ(play.step(kDown, 1, draws).reward, kUp);
}

}  // namespace

}  // namespace tarl::envs::minatar
