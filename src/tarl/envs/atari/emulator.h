// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "tarl/core/state.h"

namespace tarl::envs::atari {

// The two of the console's eighteen joystick actions with a special role.
inline constexpr int kNoop = 0;
inline constexpr int kFire = 1;

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  bool operator==(const Rgb&) const = default;
};

using Palette = std::array<Rgb, 256>;

// A console with one game, advanced frame by frame. This is all the wrapper stack sees of it, so a
// scripted game can replace it in tests.
class Emulator {
 public:
  virtual ~Emulator() = default;

  virtual const std::string& game() const = 0;  // "breakout"

  // The console's actions with an effect in this game, ascending; an agent's action is an index
  // into them.
  virtual std::span<const int> actions() const = 0;

  virtual void reset() = 0;         // starts a game
  virtual int act(int action) = 0;  // one frame; returns its points
  virtual bool game_over() const = 0;
  virtual int lives() const = 0;  // as shown by the game; 0 if it has none

  // The picture after the last frame, [height][width] of palette numbers. Valid until the next
  // call that is not const.
  virtual std::span<const std::uint8_t> screen() const = 0;
  virtual int height() const = 0;
  virtual int width() const = 0;

  // The colours of every number that screen() has shown. Those of others may still change.
  virtual const Palette& palette() const = 0;

  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;
};

}  // namespace tarl::envs::atari
