// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/ale/roms.h"

#include <cctype>
#include <cstdlib>
#include <memory>

#include <ale/emucore/MD5.hxx>
#include <ale/games/RomSettings.hpp>
#include <ale/games/Roms.hpp>

#include "tarl/core/error.h"
#include "tarl/core/files.h"

namespace tarl::envs::atari {

namespace {

constexpr std::string_view kGames[] = {
    "adventure",
    "air_raid",
    "alien",
    "amidar",
    "assault",
    "asterix",
    "asteroids",
    "atlantis",
    "atlantis2",
    "backgammon",
    "bank_heist",
    "basic_math",
    "battle_zone",
    "beam_rider",
    "berzerk",
    "blackjack",
    "bowling",
    "boxing",
    "breakout",
    "carnival",
    "casino",
    "centipede",
    "chopper_command",
    "crazy_climber",
    "crossbow",
    "darkchambers",
    "defender",
    "demon_attack",
    "donkey_kong",
    "double_dunk",
    "earthworld",
    "elevator_action",
    "enduro",
    "entombed",
    "et",
    "fishing_derby",
    "flag_capture",
    "freeway",
    "frogger",
    "frostbite",
    "galaxian",
    "gopher",
    "gravitar",
    "hangman",
    "haunted_house",
    "hero",
    "human_cannonball",
    "ice_hockey",
    "jamesbond",
    "journey_escape",
    "kaboom",
    "kangaroo",
    "keystone_kapers",
    "king_kong",
    "klax",
    "koolaid",
    "krull",
    "kung_fu_master",
    "laser_gates",
    "lost_luggage",
    "mario_bros",
    "miniature_golf",
    "montezuma_revenge",
    "mr_do",
    "ms_pacman",
    "name_this_game",
    "othello",
    "pacman",
    "phoenix",
    "pitfall",
    "pitfall2",
    "pong",
    "pooyan",
    "private_eye",
    "qbert",
    "riverraid",
    "road_runner",
    "robotank",
    "seaquest",
    "sir_lancelot",
    "skiing",
    "solaris",
    "space_invaders",
    "space_war",
    "star_gunner",
    "superman",
    "surround",
    "tennis",
    "tetris",
    "tic_tac_toe_3d",
    "time_pilot",
    "trondead",
    "turmoil",
    "tutankham",
    "up_n_down",
    "venture",
    "video_checkers",
    "video_chess",
    "video_cube",
    "video_pinball",
    "wizard_of_wor",
    "word_zapper",
    "yars_revenge",
    "zaxxon",
};

std::unique_ptr<ale::RomSettings> settings_of(std::string_view game) {
  // By file name alone: no md5 is this text.
  std::unique_ptr<ale::RomSettings> settings(
      ale::buildRomRLWrapper(std::string(game) + ".bin", "any"));
  require(settings != nullptr, "the emulator does not know this game");
  return settings;
}

fs::path rom_folder(const std::string& rom_dir) {
  if (!rom_dir.empty()) return rom_dir;
  const char* given = std::getenv("TARL_ROM_DIR");
  return given != nullptr && *given != '\0' ? given : TARL_ALE_ROMS;
}

}  // namespace

std::span<const std::string_view> games() {
  return kGames;
}

int action_count(std::string_view game) {
  return static_cast<int>(settings_of(game)->getMinimalActionSet().size());
}

std::string title_case(std::string_view game) {
  std::string title;
  bool inside_word = false;
  for (const char letter : game) {
    const unsigned char plain = static_cast<unsigned char>(letter);
    if (letter != '_') title += inside_word ? letter : static_cast<char>(std::toupper(plain));
    inside_word = std::isalpha(plain) != 0;
  }
  return title;
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
