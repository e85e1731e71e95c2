// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tarl::envs::atari {

// How many joystick actions do something in a game. Needs no ROM.
int action_count(std::string_view game);

// The game's ROM: <game>.bin in `rom_dir`, or where that is empty in the folder of the environment
// variable TARL_ROM_DIR, or else where setup puts them. Throws Error that says where to put it when
// it is missing, or when it is not the version whose points and lives the emulator can read.
std::filesystem::path find_rom(std::string_view game, const std::string& rom_dir);

}  // namespace tarl::envs::atari
