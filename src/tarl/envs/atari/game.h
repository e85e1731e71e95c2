// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/envs/atari/emulator.h"

namespace tarl::envs::atari {

struct GameSettings {
  int frame_skip = 4;         // frames an action is held
  int frame_limit = 108'000;  // a game is cut after this many frames (half an hour); 0: never
  double sticky = 0;          // probability per frame that the joystick stays put
};

// A game as a sequence of held actions: joystick stickiness, frame skipping and the frame limit.
// Points are the game's own.
class Game {
 public:
  Game(std::unique_ptr<Emulator> emulator, const GameSettings& settings, Rng sticky_stream);

  // Starts a game and lets `noops` frames pass; restarts it if it ends within them. Returns the
  // points scored in them.
  int start(int noops);

  struct Step {
    int points = 0;
    int frames = 0;  // fewer than frame_skip when the game ends
  };

  // Holds one of the console's actions.
  Step hold(int action);

  bool over() const { return emulator_->game_over(); }

  bool truncated() const { return settings_.frame_limit > 0 && frames_ >= settings_.frame_limit; }

  bool ended() const { return over() || truncated(); }

  int lives() const { return emulator_->lives(); }

  std::span<const int> actions() const { return emulator_->actions(); }

  const Emulator& emulator() const { return *emulator_; }

  // The last two screens of the last step; the same one twice if there was only one frame.
  std::span<const std::uint8_t> screen() const { return emulator_->screen(); }

  std::span<const std::uint8_t> previous_screen() const;

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  int frame(int action);

  std::unique_ptr<Emulator> emulator_;
  GameSettings settings_;
  Rng sticky_stream_;
  int held_ = kNoop;         // the joystick's position in the last frame
  std::int32_t frames_ = 0;  // since the game's start
  // Not part of the state: they describe a step that is over.
  std::vector<std::uint8_t> previous_;
  bool one_frame_ = true;
};

}  // namespace tarl::envs::atari
