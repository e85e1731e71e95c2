// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// A game whose controls stick: with the given probability a step repeats the last executed action
// instead of the requested one. The memory outlives resets.
template <class Game>
struct StickyGame {
  Game game;
  std::int32_t last_action = kNoop;

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws& draws) {
    game.reset(draws);
  }

  // The draw is taken whatever the probability, so that traces with and without it stay comparable.
  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, double chance, Draws& draws) {
    if (draws.real() >= chance) last_action = action;
    return game.step(last_action, draws);
  }
};

}  // namespace tarl::envs::minatar
