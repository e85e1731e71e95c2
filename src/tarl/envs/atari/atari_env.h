// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/envs/atari/game.h"
#include "tarl/envs/atari/picture.h"
#include "tarl/rl/environment.h"

namespace tarl::envs::atari {

inline constexpr int kPictureSide = 84;
inline constexpr int kFrameStack = 4;
inline constexpr int kMostNoops = 30;

// The spec of a game with this many joystick actions.
rl::EnvSpec make_spec(std::string name, int actions);

// A game as agents learn it, in the standard way (Mnih et al. 2015; Stable-Baselines3's
// AtariWrapper): a random number of idle frames at the start, actions held for four frames, the
// brighter of the last two screens in grey at 84 x 84, the last four of those as observation, the
// sign of the points as reward.
//
// For the agent a lost life ends the episode; the following reset continues the same game (one idle
// step). If the game has a FIRE action, each reset presses it, then the third action, to get the
// ball rolling. The score counts whole games: StepResult::score sums to a game's points, those made
// during resets included, and score_episode_over marks a game's end. A game that ends during a
// reset is reported with the step after it.
class AtariEnv final : public rl::Environment {
 public:
  AtariEnv(std::string name, std::unique_ptr<Emulator> emulator, const GameSettings& settings,
           Rng rng);

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override;
  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override;
  std::optional<rl::Image> render(std::string& why) const override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

 private:
  struct Played {
    int points = 0;
    bool terminated = false;
    bool truncated = false;
  };

  Played play(int action);
  void begin_life();
  void begin_game();
  void count(int points);
  void report_score(rl::StepResult& result);
  void push_picture();

  rl::EnvSpec spec_;
  Game game_;
  GreyPool pool_;
  AreaResize resize_;
  Rng noop_stream_;
  bool fire_on_reset_;

  bool game_ended_ = true;
  std::int32_t lives_ = 0;
  std::int64_t points_ = 0;                // of the running game, not yet in any step's score
  std::vector<std::int64_t> ended_games_;  // the same for games that ended but were not reported
  std::vector<std::uint8_t> stack_;        // [kFrameStack][side][side], oldest first
  std::vector<std::uint8_t> grey_;         // one screen, scratch
};

}  // namespace tarl::envs::atari
