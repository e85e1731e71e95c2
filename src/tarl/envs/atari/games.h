// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

// The names of the games; needs no emulator.
namespace tarl::envs::atari {

// Every one-player game of the Arcade Learning Environment, ascending.
std::span<const std::string_view> games();

// Gymnasium's spelling: "KungFuMaster" for "kung_fu_master".
std::string title_case(std::string_view game);

// Probability of repeating the previous action, under the rules with sticky actions.
inline constexpr double kStickyV5 = 0.25;

// A game's environments under the two common sets of rules, and Gymnasium's names for them: without
// sticky actions ("atari/pong", "PongNoFrameskip-v4") and with ("atari/pong-v5", "ALE/Pong-v5").
std::string plain_name(std::string_view game);
std::string sticky_name(std::string_view game);
std::string plain_alias(std::string_view game);
std::string sticky_alias(std::string_view game);

}  // namespace tarl::envs::atari
