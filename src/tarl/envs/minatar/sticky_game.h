// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// A game with sticky actions: with the given probability a step repeats the last executed action
// instead of the requested one. The last action is kept across resets.
template <class Game>
struct StickyGame {
  Game game;
  std::int32_t last_action = kNoop;

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws& draws) {
    game.reset(draws);
  }

  // The draw is made whatever the probability, so that traces with and without it stay comparable.
  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, double chance, Draws& draws) {
    if (draws.real() >= chance) last_action = action;
    return game.step(last_action, draws);
  }
};

}  // namespace tarl::envs::minatar
