// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tarl/envs/atari/emulator.h"

namespace tarl::envs::atari {

// What one frame of a scripted game does.
struct Frame {
  int points = 0;
  int lives = 3;
  bool over = false;
};

// What a test sees of the emulator after handing it over.
struct Record {
  int games = 0;             // resets so far
  int frame = 0;             // of the running game
  std::vector<int> actions;  // one per frame, of all games
};

// Plays games from a script: frame k of game n is script[n][k]; past a game's script its last frame
// repeats without points. The whole screen has one palette index, the game's frame number, whose
// colour is (number, 0, 0) when even and (0, 0, number) when odd.
class ScriptedEmulator final : public Emulator {
 public:
  using Script = std::vector<std::vector<Frame>>;

  ScriptedEmulator(std::vector<int> actions, Script script, std::shared_ptr<Record> record)
      : actions_(std::move(actions)), script_(std::move(script)), record_(std::move(record)) {
    for (std::size_t i = 0; i < palette_.size(); ++i) {
      const auto level = static_cast<std::uint8_t>(i);
      palette_[i] = i % 2 == 0 ? Rgb{level, 0, 0} : Rgb{0, 0, level};
    }
  }

  const std::string& game() const override { return name_; }

  std::span<const int> actions() const override { return actions_; }

  void reset() override {
    ++record_->games;
    record_->frame = 0;
    now_ = {};
    draw();
  }

  int act(int action) override {
    record_->actions.push_back(action);
    const std::size_t game = std::min<std::size_t>(record_->games - 1, script_.size() - 1);
    const std::size_t frame = static_cast<std::size_t>(record_->frame++);
    if (frame < script_[game].size()) {
      now_ = script_[game][frame];
    } else {
      now_.points = 0;
    }
    draw();
    return now_.points;
  }

  bool game_over() const override { return now_.over; }

  int lives() const override { return now_.lives; }

  std::span<const std::uint8_t> screen() const override { return screen_; }

  int height() const override { return 210; }

  int width() const override { return 160; }

  const Palette& palette() const override { return palette_; }

  void save(StateWriter& out) const override { out.put("frame", std::int32_t{record_->frame}); }

  void load(const StateReader& in) override { in.get("frame", record_->frame); }

 private:
  void draw() { screen_.assign(screen_.size(), static_cast<std::uint8_t>(record_->frame)); }

  std::string name_ = "scripted";
  std::vector<int> actions_;
  Script script_;
  std::shared_ptr<Record> record_;
  Palette palette_{};
  Frame now_;
  std::vector<std::uint8_t> screen_ = std::vector<std::uint8_t>(210 * 160);
};

}  // namespace tarl::envs::atari
