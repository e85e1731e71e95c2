// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

// What the games are called; needs no emulator.
namespace tarl::envs::atari {

// Every one-player game of the Arcade Learning Environment, ascending.
std::span<const std::string_view> games();

// Gymnasium's spelling: "KungFuMaster" for "kung_fu_master".
std::string title_case(std::string_view game);

// Chance that the previous action is repeated, under the rules that have it.
inline constexpr double kStickyV5 = 0.25;

// A game's environments under the two customary sets of rules, and Gymnasium's names of them:
// without sticky actions ("atari/pong", "PongNoFrameskip-v4") and with ("atari/pong-v5",
// "ALE/Pong-v5").
std::string plain_name(std::string_view game);
std::string sticky_name(std::string_view game);
std::string plain_alias(std::string_view game);
std::string sticky_alias(std::string_view game);

}  // namespace tarl::envs::atari
