// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tarl::envs::atari {

// Reference scores of a game.
struct ReferenceScores {
  std::string_view env;     // "atari/amidar"
  double random;            // a uniformly random policy
  double human;             // a professional games tester
  double dqn_paper_random;  // random play as Mnih et al. 2015 report it
};

// The ten games of Atari-10 (Aitchison et al. 2023, whose data file the scores are from), by name.
std::span<const ReferenceScores> atari10();

// Those of an environment under either rules ("atari/amidar", "atari/amidar-v5"); nothing for games
// outside Atari-10.
std::optional<ReferenceScores> reference_scores(std::string_view env);

// 0 for random play, 1 for the human.
constexpr double human_normalised(const ReferenceScores& game, double score) {
  return (score - game.random) / (game.human - game.random);
}

}  // namespace tarl::envs::atari
