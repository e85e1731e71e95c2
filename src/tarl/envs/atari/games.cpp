// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/games.h"

#include <cctype>

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

}  // namespace

std::span<const std::string_view> games() {
  return kGames;
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

std::string plain_name(std::string_view game) {
  return "atari/" + std::string(game);
}

std::string sticky_name(std::string_view game) {
  return plain_name(game) + "-v5";
}

std::string plain_alias(std::string_view game) {
  return title_case(game) + "NoFrameskip-v4";
}

std::string sticky_alias(std::string_view game) {
  return "ALE/" + title_case(game) + "-v5";
}

}  // namespace tarl::envs::atari
