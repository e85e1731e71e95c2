// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// Shoot the aliens before they land or hit the cannon; each cleared wave makes the next faster.
// Channels: 0 cannon, 1 alien, 2 alien moving left, 3 alien moving right, 4 friendly bullet,
// 5 enemy bullet.
struct SpaceInvaders {
  static constexpr const char* kName = "space_invaders";
  static constexpr const char* kGymName = "SpaceInvaders";
  static constexpr int kChannels = 6;
  static constexpr int kActions = 4;

  TARL_HOST_DEVICE static inline int minimal_action(int k) {
    return k == 0 ? kNoop : k == 1 ? kLeft : k == 2 ? kRight : kFire;
  }

  static constexpr int kWaveRows = 4;
  static constexpr std::uint16_t kWaveRow = 0b0011111100;  // columns 2..7
  static constexpr std::uint16_t kFullRow = 0x3FF;
  static constexpr int kCooldown = 5;
  static constexpr int kMoveInterval = 12;
  static constexpr int kFastestInterval = 6;
  static constexpr int kAlienShotInterval = 10;

  std::int32_t ramping = 1;
  std::int32_t terminal = 0;
  std::int32_t cannon = 5;       // column, on row 9
  std::int32_t alien_step = -1;  // columns an alien moves: -1 or 1
  std::int32_t move_interval = kMoveInterval, move_timer = kMoveInterval;
  std::int32_t alien_shot_timer = kAlienShotInterval;
  std::int32_t cooldown = 0;
  std::int32_t ramp_index = 0;
  // One number per row of cells, bit x for column x.
  std::uint16_t alien[kSide] = {};
  std::uint16_t friendly[kSide] = {};
  std::uint16_t enemy[kSide] = {};

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws&) {
    const std::int32_t keep_ramping = ramping;
    *this = SpaceInvaders{};
    ramping = keep_ramping;
    start_wave();
  }

  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, Draws&) {
    if (terminal != 0) return {0, true};
    act(action);
    move_bullets();
    if (at_cannon(enemy) || at_cannon(alien)) terminal = 1;
    if (move_timer == 0) move_aliens();
    if (alien_shot_timer == 0) shoot_back();
    const int reward = count_hits();
    if (cooldown > 0) --cooldown;
    --move_timer;
    --alien_shot_timer;
    if (columns_of(alien) == 0) {
      if (move_interval > kFastestInterval && ramping != 0) {
        --move_interval;
        ++ramp_index;
      }
      start_wave();
    }
    return {reward, terminal != 0};
  }

  template <class Canvas>
  TARL_HOST_DEVICE inline void render(Canvas& canvas) const {
    canvas.set(kLast, cannon, 0);
    for (int row = 0; row < kSide; ++row) {
      set_row(canvas, row, alien[row], 1);
      set_row(canvas, row, alien[row], alien_step < 0 ? 2 : 3);
      set_row(canvas, row, friendly[row], 4);
      set_row(canvas, row, enemy[row], 5);
    }
  }

 private:
  TARL_HOST_DEVICE inline bool at_cannon(const std::uint16_t (&rows)[kSide]) const {
    return ((rows[kLast] >> cannon) & 1) != 0;
  }

  // Columns with something in them, bit x for column x.
  TARL_HOST_DEVICE static inline unsigned columns_of(const std::uint16_t (&rows)[kSide]) {
    unsigned columns = 0;
    for (const std::uint16_t row : rows) columns |= row;
    return columns;
  }

  TARL_HOST_DEVICE inline void start_wave() {
    for (int row = 0; row < kWaveRows; ++row) alien[row] = kWaveRow;
  }

  TARL_HOST_DEVICE inline void act(int action) {
    if (action == kFire && cooldown == 0) {
      friendly[kLast] = static_cast<std::uint16_t>(friendly[kLast] | (1 << cannon));
      cooldown = kCooldown;
    }
    if (action == kLeft) cannon = larger(0, cannon - 1);
    if (action == kRight) cannon = smaller(kLast, cannon + 1);
  }

  TARL_HOST_DEVICE inline void move_bullets() {
    for (int row = 0; row < kLast; ++row) friendly[row] = friendly[row + 1];
    friendly[kLast] = 0;
    for (int row = kLast; row > 0; --row) enemy[row] = enemy[row - 1];
    enemy[0] = 0;
  }

  // Sideways, or at the border one row down and back. Aliens that pass the bottom wrap to the top,
  // which only happens in a game that is over.
  TARL_HOST_DEVICE inline void move_aliens() {
    int aliens = 0;
    for (const std::uint16_t row : alien) aliens += count_bits(row);
    move_timer = smaller(aliens, move_interval);
    const unsigned border = alien_step < 0 ? 1U : 1U << kLast;
    if ((columns_of(alien) & border) != 0) {
      alien_step = -alien_step;
      if (alien[kLast] != 0) terminal = 1;
      const std::uint16_t bottom = alien[kLast];
      for (int row = kLast; row > 0; --row) alien[row] = alien[row - 1];
      alien[0] = bottom;
    } else {
      for (std::uint16_t& row : alien) {
        row = static_cast<std::uint16_t>(alien_step < 0 ? row >> 1 : (row << 1) & kFullRow);
      }
    }
    if (at_cannon(alien)) terminal = 1;
  }

  // The lowest alien of the column nearest to the cannon shoots; ties go to the left.
  TARL_HOST_DEVICE inline void shoot_back() {
    alien_shot_timer = kAlienShotInterval;
    const unsigned columns = columns_of(alien);
    for (int distance = 0; distance < kSide; ++distance) {
      for (int side = -1; side <= 1; side += 2) {
        const int column = cannon + side * distance;
        if (!on_grid(column) || ((columns >> column) & 1U) == 0) continue;
        int row = kLast;
        while (((alien[row] >> column) & 1) == 0) --row;
        enemy[row] = static_cast<std::uint16_t>(enemy[row] | (1 << column));
        return;
      }
    }
  }

  TARL_HOST_DEVICE inline int count_hits() {
    int hits = 0;
    for (int row = 0; row < kSide; ++row) {
      const unsigned both = alien[row] & friendly[row];
      hits += count_bits(both);
      alien[row] = static_cast<std::uint16_t>(alien[row] & ~both);
      friendly[row] = static_cast<std::uint16_t>(friendly[row] & ~both);
    }
    return hits;
  }
};

}  // namespace tarl::envs::minatar
