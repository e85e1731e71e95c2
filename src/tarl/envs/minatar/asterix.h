// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// Collect gold, avoid enemies; both cross the rows, ever faster.
// Channels: 0 player, 1 enemy, 2 trail, 3 gold.
struct Asterix {
  static constexpr const char* kName = "asterix";
  static constexpr const char* kGymName = "Asterix";
  static constexpr int kChannels = 4;
  static constexpr int kActions = 5;

  TARL_HOST_DEVICE static inline int minimal_action(int k) { return k; }

  static constexpr int kSlots = 8;  // slot k is row k + 1 and holds at most one entity
  static constexpr int kSpawnSpeed = 10;
  static constexpr int kMoveSpeed = 5;
  static constexpr int kRampInterval = 100;

  struct Entity {
    std::int8_t present = 0;
    std::int8_t x = 0;
    std::int8_t right = 0;
    std::int8_t gold = 0;
  };

  std::int32_t ramping = 1;
  std::int32_t terminal = 0;
  std::int32_t player_x = 5, player_y = 5;
  std::int32_t spawn_speed = kSpawnSpeed, spawn_timer = kSpawnSpeed;
  std::int32_t move_speed = kMoveSpeed, move_timer = kMoveSpeed;
  std::int32_t ramp_timer = kRampInterval, ramp_index = 0;
  Entity slot[kSlots];

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws&) {
    const std::int32_t keep_ramping = ramping;
    *this = Asterix{};
    ramping = keep_ramping;
  }

  template <class Canvas>
  TARL_HOST_DEVICE inline void render(Canvas& canvas) const {
    canvas.set(player_y, player_x, 0);
    for (int k = 0; k < kSlots; ++k) {
      const Entity& entity = slot[k];
      if (entity.present == 0) continue;
      canvas.set(k + 1, entity.x, entity.gold != 0 ? 3 : 1);
      const int trail = behind(entity.x, entity.right != 0);
      if (on_grid(trail)) canvas.set(k + 1, trail, 2);
    }
  }

  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, Draws& draws) {
    if (terminal != 0) return {0, true};
    int reward = 0;
    if (spawn_timer == 0) {
      spawn(draws);
      spawn_timer = spawn_speed;
    }
    move_player(action);
    for (int k = 0; k < kSlots; ++k) reward += touch(k);
    if (move_timer == 0) {
      move_timer = move_speed;
      for (int k = 0; k < kSlots; ++k) reward += advance(k);
    }
    --spawn_timer;
    --move_timer;
    if (ramping != 0 && (spawn_speed > 1 || move_speed > 1)) ramp();
    return {reward, terminal != 0};
  }

 private:
  template <class Draws>
  TARL_HOST_DEVICE inline void spawn(Draws& draws) {
    const bool right = draws.real() < 0.5;
    const bool gold = draws.real() < 1.0 / 3.0;
    int free_slots = 0;
    for (const Entity& entity : slot) free_slots += entity.present == 0 ? 1 : 0;
    if (free_slots == 0) return;
    int skip = draws.index(free_slots);
    int k = 0;
    while (slot[k].present != 0 || skip-- > 0) ++k;
    slot[k].present = 1;
    slot[k].x = static_cast<std::int8_t>(right ? 0 : kLast);
    slot[k].right = right ? 1 : 0;
    slot[k].gold = gold ? 1 : 0;
  }

  TARL_HOST_DEVICE inline void move_player(int action) {
    if (action == kLeft) player_x = larger(0, player_x - 1);
    if (action == kRight) player_x = smaller(kLast, player_x + 1);
    if (action == kUp) player_y = larger(1, player_y - 1);
    if (action == kDown) player_y = smaller(kSlots, player_y + 1);
  }

  // Resolves an entity and the player sharing a cell; returns the reward.
  TARL_HOST_DEVICE inline int touch(int k) {
    Entity& entity = slot[k];
    if (entity.present == 0 || entity.x != player_x || k + 1 != player_y) return 0;
    if (entity.gold == 0) {
      terminal = 1;
      return 0;
    }
    entity.present = 0;
    return 1;
  }

  TARL_HOST_DEVICE inline int advance(int k) {
    Entity& entity = slot[k];
    if (entity.present == 0) return 0;
    entity.x = static_cast<std::int8_t>(ahead(entity.x, entity.right != 0));
    if (on_grid(entity.x)) return touch(k);
    entity.present = 0;
    return 0;
  }

  TARL_HOST_DEVICE inline void ramp() {
    if (ramp_timer >= 0) {
      --ramp_timer;
      return;
    }
    if (move_speed > 1 && ramp_index % 2 == 1) --move_speed;
    if (spawn_speed > 1) --spawn_speed;
    ++ramp_index;
    ramp_timer = kRampInterval;
  }
};

}  // namespace tarl::envs::minatar
