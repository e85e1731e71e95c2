// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// Keep the ball in play with the paddle and break the wall; a cleared wall comes back.
// Channels: 0 paddle, 1 ball, 2 trail, 3 brick.
struct Breakout {
  static constexpr const char* kName = "breakout";
  static constexpr const char* kGymName = "Breakout";
  static constexpr int kChannels = 4;
  static constexpr int kActions = 3;

  TARL_HOST_DEVICE static inline int minimal_action(int k) {
    return k == 0 ? kNoop : k == 1 ? kLeft : kRight;
  }

  static constexpr int kWallTop = 1;  // the wall fills rows 1..3
  static constexpr int kWallRows = 3;
  static constexpr std::uint32_t kWall = (1U << (kWallRows * kSide)) - 1;

  std::int32_t ramping = 1;  // no effect in this game
  std::int32_t terminal = 0;
  std::int32_t ball_x = 0, ball_y = 0;
  std::int32_t last_x = 0, last_y = 0;  // the ball's previous position: its trail
  std::int32_t direction = 0;           // 0 up-left, 1 up-right, 2 down-right, 3 down-left
  std::int32_t paddle = 0;              // column, on row 9
  std::int32_t strike = 0;              // the ball is inside the wall after breaking a brick
  std::uint32_t bricks = 0;             // bit (row - 1)*10 + column

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws& draws) {
    const bool from_right = draws.index(2) == 1;
    ball_x = last_x = from_right ? kLast : 0;
    ball_y = last_y = 3;
    direction = from_right ? 3 : 2;
    paddle = 4;
    bricks = kWall;
    strike = 0;
    terminal = 0;
  }

  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, Draws&) {
    if (terminal != 0) return {0, true};
    if (action == kLeft) paddle = larger(0, paddle - 1);
    if (action == kRight) paddle = smaller(kLast, paddle + 1);
    last_x = ball_x;
    last_y = ball_y;
    ball_x += direction == 1 || direction == 2 ? 1 : -1;
    ball_y += direction >= 2 ? 1 : -1;
    if (!on_grid(ball_x)) {
      ball_x = ball_x < 0 ? 0 : kLast;
      direction = flipped_sideways(direction);
    }
    int reward = 0;
    const std::uint32_t brick = brick_at(ball_y, ball_x);
    const bool in_brick = (bricks & brick) != 0;
    if (ball_y < 0) {
      ball_y = 0;
      direction = flipped_upright(direction);
    } else if (in_brick) {
      reward = break_brick(brick);
    } else if (ball_y == kLast) {
      meet_paddle();
    }
    if (!in_brick) strike = 0;
    return {reward, terminal != 0};
  }

  template <class Canvas>
  TARL_HOST_DEVICE inline void render(Canvas& canvas) const {
    canvas.set(ball_y, ball_x, 1);
    canvas.set(kLast, paddle, 0);
    canvas.set(last_y, last_x, 2);
    for (int row = 0; row < kWallRows; ++row) {
      set_row(canvas, row + kWallTop, (bricks >> (row * kSide)) & 0x3FFU, 3);
    }
  }

 private:
  TARL_HOST_DEVICE static inline int flipped_sideways(int d) { return d ^ 1; }

  TARL_HOST_DEVICE static inline int flipped_upright(int d) { return d ^ 3; }

  // The bit of a cell in `bricks`; 0 outside the wall's rows.
  TARL_HOST_DEVICE static inline std::uint32_t brick_at(int row, int column) {
    if (row < kWallTop || row >= kWallTop + kWallRows) return 0;
    return 1U << ((row - kWallTop) * kSide + column);
  }

  // Inside the wall only the first brick breaks; the ball passes the others.
  TARL_HOST_DEVICE inline int break_brick(std::uint32_t brick) {
    if (strike != 0) return 0;
    strike = 1;
    bricks &= ~brick;
    ball_y = last_y;
    direction = flipped_upright(direction);
    return 1;
  }

  TARL_HOST_DEVICE inline void meet_paddle() {
    if (bricks == 0) bricks = kWall;
    if (last_x == paddle) {
      direction = flipped_upright(direction);
      ball_y = last_y;
    } else if (ball_x == paddle) {
      direction = flipped_sideways(flipped_upright(direction));
      ball_y = last_y;
    } else {
      terminal = 1;
    }
  }
};

}  // namespace tarl::envs::minatar
