// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tarl::envs::atari {

// The number of joystick actions with an effect in a game. Needs no ROM.
int action_count(std::string_view game);

// The game's ROM: <game>.bin in `rom_dir` or, if that is empty, in the folder of the environment
// variable TARL_ROM_DIR, or else where setup puts them. Throws Error that says where to put it if
// it is missing or not the version whose points and lives the emulator can read.
std::filesystem::path find_rom(std::string_view game, const std::string& rom_dir);

}  // namespace tarl::envs::atari
