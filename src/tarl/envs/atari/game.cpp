// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/game.h"

#include <algorithm>

namespace tarl::envs::atari {

Game::Game(std::unique_ptr<Emulator> emulator, const GameSettings& settings, Rng sticky_stream)
    : emulator_(std::move(emulator)),
      settings_(settings),
      sticky_stream_(sticky_stream),
      previous_(emulator_->screen().size()) {}

int Game::start(int noops) {
  const auto restart = [this] {
    emulator_->reset();
    held_ = kNoop;
    frames_ = 0;
    one_frame_ = true;
  };
  restart();
  int points = 0;
  for (int i = 0; i < noops; ++i) {
    points += frame(kNoop);
    if (ended()) {
      restart();
      points = 0;
    }
  }
  return points;
}

Game::Step Game::hold(int action) {
  Step step;
  do {
    // The picture to pool with the last one is needed from the second frame on.
    if (step.frames > 0) std::ranges::copy(emulator_->screen(), previous_.begin());
    step.points += frame(action);
    ++step.frames;
  } while (step.frames < settings_.frame_skip && !ended());
  one_frame_ = step.frames == 1;
  return step;
}

int Game::frame(int action) {
  if (!(settings_.sticky > 0 && sticky_stream_.uniform() < settings_.sticky)) held_ = action;
  ++frames_;
  return emulator_->act(held_);
}

std::span<const std::uint8_t> Game::previous_screen() const {
  return one_frame_ ? emulator_->screen() : std::span<const std::uint8_t>(previous_);
}

void Game::save(StateWriter& out) const {
  out.put("sticky_stream", sticky_stream_);
  out.put("held", std::int32_t{held_});
  out.put("frames", frames_);
  emulator_->save(out);
}

void Game::load(const StateReader& in) {
  in.get("sticky_stream", sticky_stream_);
  in.get("held", held_);
  in.get("frames", frames_);
  emulator_->load(in);
  one_frame_ = true;
}

}  // namespace tarl::envs::atari
