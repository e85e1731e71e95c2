// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tarl/envs/atari/emulator.h"

namespace ale {
class ALEInterface;
}

namespace tarl::envs::atari {

// The Arcade Learning Environment, one frame per call, no sticky actions of its own.
//
// Its saved states leave out parts of the video chip (object masks, the pictures under
// construction), so that a game restored from one may draw other pixels. A reset of the console
// clears those parts. The state kept here is therefore the one before the running game's reset,
// and the actions since: loading replays them, which is exact, at some 15,000 frames per second.
class AleEmulator final : public Emulator {
 public:
  // `seed` feeds the few games that draw random numbers through the emulator.
  AleEmulator(std::string game, const std::filesystem::path& rom, std::uint32_t seed);
  ~AleEmulator() override;

  static std::string library_version();

  const std::string& game() const override { return game_; }

  std::span<const int> actions() const override { return actions_; }

  void reset() override;
  int act(int action) override;
  bool game_over() const override;
  int lives() const override;
  std::span<const std::uint8_t> screen() const override;
  int height() const override;
  int width() const override;

  const Palette& palette() const override { return palette_; }

  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  // For comparison with recorded traces: the console's memory, and the emulator's own brightness
  // of each palette number, which is not grey() of its colour.
  std::span<const std::uint8_t> ram() const;

  const std::array<std::uint8_t, 256>& brightness() const { return brightness_; }

 private:
  void read_palette();

  std::string game_;
  std::unique_ptr<ale::ALEInterface> ale_;
  std::vector<int> actions_;
  Palette palette_{};
  std::array<std::uint8_t, 256> brightness_{};

  bool started_ = false;
  std::string before_reset_;          // ALE's saved state
  std::vector<std::uint8_t> played_;  // actions since, one per frame
};

}  // namespace tarl::envs::atari
