// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tarl/envs/registry.h"

namespace tarl::test {

// A ball falls through an image of 36 x 36 pixels, one cell of 6 x 6 per step; a paddle on the
// ground moves one cell per step. Catching the ball is worth 1, missing it -1. Observations are the
// last four frames, as in Atari games. Every ball can be caught.
class PixelCatch final : public rl::Environment {
 public:
  static constexpr int kCells = 6, kCell = 6, kSide = kCells * kCell, kStack = 4;
  static constexpr std::size_t kFrame = std::size_t{kSide} * kSide;

  explicit PixelCatch(Rng rng) : rng_(rng), stack_(kStack * kFrame) {
    spec_.name = "test/catch";
    spec_.obs = {rl::ObsKind::kBytes, kStack, kSide, kSide, kStack};
    spec_.action.count = 3;
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    ball_row_ = 0;
    ball_column_ = static_cast<std::int32_t>(rng_.below(kCells));
    paddle_ = static_cast<std::int32_t>(rng_.below(kCells));
    std::ranges::fill(stack_, std::uint8_t{0});
    show(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    paddle_ = std::clamp(paddle_ + action.index - 1, 0, kCells - 1);
    ++ball_row_;
    rl::StepResult result;
    result.terminated = ball_row_ == kCells - 1;
    if (result.terminated) result.reward = paddle_ == ball_column_ ? 1.0F : -1.0F;
    result.score = result.reward;
    result.score_episode_over = result.terminated;
    show(obs);
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("rng", rng_);
    out.put("ball_row", ball_row_);
    out.put("ball_column", ball_column_);
    out.put("paddle", paddle_);
    out.put("stack", stack_);
  }

  void load(const StateReader& in) override {
    in.get("rng", rng_);
    in.get("ball_row", ball_row_);
    in.get("ball_column", ball_column_);
    in.get("paddle", paddle_);
    in.get("stack", stack_);
  }

 private:
  void show(std::span<std::byte> obs) {
    std::copy(stack_.begin() + kFrame, stack_.end(), stack_.begin());
    const std::span<std::uint8_t> frame = std::span(stack_).last(kFrame);
    std::ranges::fill(frame, std::uint8_t{40});
    fill_cell(frame, kCells - 1, paddle_, 150);
    fill_cell(frame, ball_row_, ball_column_, 255);
    std::memcpy(obs.data(), stack_.data(), stack_.size());
  }

  static void fill_cell(std::span<std::uint8_t> frame, int row, int column, std::uint8_t grey) {
    for (int y = row * kCell; y < (row + 1) * kCell; ++y) {
      std::ranges::fill(frame.subspan(static_cast<std::size_t>(y * kSide + column * kCell), kCell),
                        grey);
    }
  }

  rl::EnvSpec spec_;
  Rng rng_;
  std::int32_t ball_row_ = 0;
  std::int32_t ball_column_ = 0;
  std::int32_t paddle_ = 0;
  std::vector<std::uint8_t> stack_;  // [kStack][side][side], oldest first
};

inline void add_pixel_catch() {
  envs::registry().add(
      {.name = "test/catch",
       .aliases = {},
       .title = "36x36 grey pixels, 4 frames, 3 actions",
       .make = [](const envs::EnvConfig&, Rng rng) { return std::make_unique<PixelCatch>(rng); },
       .obs = rl::ObsKind::kBytes});
}

}  // namespace tarl::test
