// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/atari10.h"

namespace tarl::envs::atari {

namespace {

constexpr ReferenceScores kAtari10[] = {
    {"atari/amidar", 5.77, 1719.5, 2.34},
    {"atari/battle_zone", 2360, 37187.5, 3000},
    {"atari/bowling", 23.11, 160.7, 23.48},
    {"atari/double_dunk", -18.55, -16.4, -18.14},
    {"atari/frostbite", 65.2, 4334.7, 73.2},
    {"atari/kung_fu_master", 258.5, 22736.3, 451},
    {"atari/name_this_game", 2292.35, 8049, 2404.9},
    {"atari/phoenix", 761.4, 7242.6, 757.2},
    {"atari/qbert", 163.88, 13455, 188.75},
    {"atari/riverraid", 1338.5, 17118, 1575.4},
};

}  // namespace

std::span<const ReferenceScores> atari10() {
  return kAtari10;
}

std::optional<ReferenceScores> reference_scores(std::string_view env) {
  if (env.ends_with("-v5")) env.remove_suffix(3);
  for (const ReferenceScores& game : kAtari10) {
    if (game.env == env) return game;
  }
  return std::nullopt;
}

}  // namespace tarl::envs::atari
