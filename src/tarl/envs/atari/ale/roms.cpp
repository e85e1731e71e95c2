// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/ale/roms.h"

#include <cstdlib>
#include <memory>

#include <ale/emucore/MD5.hxx>
#include <ale/games/RomSettings.hpp>
#include <ale/games/Roms.hpp>

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/core/machine.h"

namespace tarl::envs::atari {

namespace {

std::unique_ptr<ale::RomSettings> settings_of(std::string_view game) {
  // By file name alone: no md5 is this text.
  std::unique_ptr<ale::RomSettings> settings(
      ale::buildRomRLWrapper(std::string(game) + ".bin", "any"));
  require(settings != nullptr, "the emulator does not know this game");
  return settings;
}

// Relative to the program, both in a build tree and installed: bin/tarl, share/tarl/roms.
fs::path own_roms() {
  const fs::path folder = this_program().parent_path();
  const fs::path built = folder / "share/tarl/roms";
  return fs::is_directory(built) ? built : folder.parent_path() / "share/tarl/roms";
}

fs::path rom_folder(const std::string& rom_dir) {
  if (!rom_dir.empty()) return rom_dir;
  const char* given = std::getenv("TARL_ROM_DIR");
  return given != nullptr && *given != '\0' ? given : own_roms();
}

}  // namespace

int action_count(std::string_view game) {
  return static_cast<int>(settings_of(game)->getMinimalActionSet().size());
}

fs::path find_rom(std::string_view game, const std::string& rom_dir) {
  const fs::path path = rom_folder(rom_dir) / (std::string(game) + ".bin");
  const std::string remedy =
      "; 'make setup' fetches every ROM, environment.rom_dir or TARL_ROM_DIR names "
      "another folder that holds " +
      path.filename().string();
  if (!fs::is_regular_file(path)) {
    throw Error("no ROM for atari/" + std::string(game) + ": " + path.string() + " does not exist" +
                remedy);
  }
  const std::vector<std::byte> rom = read_file(path);
  const std::string md5 = ale::stella::MD5(reinterpret_cast<const std::uint8_t*>(rom.data()),
                                           static_cast<std::uint32_t>(rom.size()));
  const std::string expected = settings_of(game)->md5();
  if (md5 != expected) {
    throw Error(path.string() + " is not the ROM of atari/" + std::string(game) +
                " that the emulator can score: its md5 is " + md5 + ", not " + expected + remedy);
  }
  return path;
}

}  // namespace tarl::envs::atari
