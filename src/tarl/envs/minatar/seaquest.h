// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/bodies.h"

namespace tarl::envs::minatar {

// Rescue divers and shoot fish and submarines; come up for air with at least one diver aboard.
// Channels: 0 front and 1 back of the submarine, 2 friendly bullet, 3 trail, 4 enemy bullet,
// 5 fish, 6 enemy submarine, 7 oxygen gauge, 8 diver gauge, 9 diver.
struct Seaquest {
  static constexpr const char* kName = "seaquest";
  static constexpr const char* kGymName = "Seaquest";
  static constexpr int kChannels = 10;
  static constexpr int kActions = kAllActions;

  TARL_HOST_DEVICE static inline int minimal_action(int k) { return k; }

  static constexpr int kSeabed = 8;  // deepest row of the submarine; row 9 shows the gauges
  static constexpr int kOxygen = 200;
  static constexpr int kEnemySpawnSpeed = 20;
  static constexpr int kDiverSpawnSpeed = 30;
  static constexpr int kMoveSpeed = 5;
  static constexpr int kFastestMoveSpeed = 2;
  static constexpr int kCooldown = 5;
  static constexpr int kShotInterval = 10;
  static constexpr int kDiverMoveSpeed = 5;
  static constexpr int kFullLoad = 6;

  // At most one enemy spawns per step and each is gone after ten moves of at most six steps. An
  // enemy bullet lives ten steps and a submarine shoots every eleven, first ten steps after its
  // spawn, so the shooters of all bullets in flight spawned within 59 steps.
  static constexpr int kMaxEnemies = 10 * (kMoveSpeed + 1);
  // One spawn every 30 steps, ten moves of six steps; one shot every five steps, ten moves.
  static constexpr int kMaxDivers = 4;
  static constexpr int kMaxBullets = 4;

  std::int32_t ramping = 1;
  std::int32_t terminal = 0;
  std::int32_t sub_x = 5, sub_y = 0;
  std::int32_t facing_right = 0;
  std::int32_t at_surface = 1;
  std::int32_t oxygen = kOxygen;
  // Divers aboard. Negative after a full load: surfacing always costs one.
  std::int32_t divers_aboard = 0;
  std::int32_t cooldown = 0;
  std::int32_t enemy_spawn_speed = kEnemySpawnSpeed, enemy_spawn_timer = kEnemySpawnSpeed;
  std::int32_t diver_spawn_timer = kDiverSpawnSpeed;
  std::int32_t move_speed = kMoveSpeed;
  std::int32_t ramp_index = 0;
  Bodies<kMaxBullets> bullets;
  Bodies<kMaxDivers> divers;
  Bodies<kMaxEnemies> fish;
  Bodies<kMaxEnemies> enemy_subs;
  Bodies<kMaxEnemies> enemy_bullets;

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws&) {
    const std::int32_t keep_ramping = ramping;
    *this = Seaquest{};
    ramping = keep_ramping;
  }

  // Lists are processed from the back, so that a removal moves only bodies already processed.
  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, Draws& draws) {
    if (terminal != 0) return {0, true};
    int reward = 0;
    spawn(draws);
    act(action);
    for (int i = bullets.size - 1; i >= 0; --i) reward += fly(i);
    for (int i = divers.size - 1; i >= 0; --i) swim(i);
    for (int i = enemy_subs.size - 1; i >= 0; --i) reward += hunt_and_shoot(i);
    for (int i = enemy_bullets.size - 1; i >= 0; --i) fly_at_player(i);
    for (int i = fish.size - 1; i >= 0; --i) {
      Body each = fish.item[i];
      reward += hunt(fish, i, each);
    }
    if (enemy_spawn_timer > 0) --enemy_spawn_timer;
    if (diver_spawn_timer > 0) --diver_spawn_timer;
    if (cooldown > 0) --cooldown;
    reward += breathe();
    return {reward, terminal != 0};
  }

  template <class Canvas>
  TARL_HOST_DEVICE inline void render(Canvas& canvas) const {
    canvas.set(sub_y, sub_x, 0);
    canvas.set(sub_y, behind(sub_x, facing_right != 0), 1);
    const int gauge = larger(0, oxygen) * kSide / kOxygen;
    for (int column = 0; column < gauge; ++column) canvas.set(kLast, column, 7);
    for (int column = kLast - divers_aboard; column < kLast; ++column) canvas.set(kLast, column, 8);
    render_bodies(canvas, bullets, 2, false);
    render_bodies(canvas, enemy_bullets, 4, false);
    render_bodies(canvas, fish, 5, true);
    render_bodies(canvas, enemy_subs, 6, true);
    render_bodies(canvas, divers, 9, true);
  }

 private:
  template <class Canvas, int capacity>
  TARL_HOST_DEVICE static inline void render_bodies(Canvas& canvas, const Bodies<capacity>& bodies,
                                                    int channel, bool trails) {
    for (int i = 0; i < bodies.size; ++i) {
      const Body& body = bodies.item[i];
      canvas.set(body.y, body.x, channel);
      const int trail = behind(body.x, body.right != 0);
      if (trails && on_grid(trail)) canvas.set(body.y, trail, 3);
    }
  }

  TARL_HOST_DEVICE static inline Body entering(bool right, int row, int timer, int shot) {
    return {static_cast<std::int8_t>(right ? 0 : kLast), static_cast<std::int8_t>(row),
            static_cast<std::int8_t>(right ? 1 : 0), static_cast<std::int8_t>(timer),
            static_cast<std::int8_t>(shot)};
  }

  template <class Draws>
  TARL_HOST_DEVICE inline void spawn(Draws& draws) {
    if (enemy_spawn_timer == 0) {
      spawn_enemy(draws);
      enemy_spawn_timer = enemy_spawn_speed;
    }
    if (diver_spawn_timer == 0) {
      const bool right = draws.real() < 0.5;
      divers.add(entering(right, 1 + draws.index(kSeabed), kDiverMoveSpeed, 0));
      diver_spawn_timer = kDiverSpawnSpeed;
    }
  }

  // Nothing spawns into a row with an enemy moving the other way.
  template <class Draws>
  TARL_HOST_DEVICE inline void spawn_enemy(Draws& draws) {
    const bool right = draws.real() < 0.5;
    const bool is_sub = draws.real() < 1.0 / 3.0;
    const int row = 1 + draws.index(kSeabed);
    if (oncoming(fish, row, right) || oncoming(enemy_subs, row, right)) return;
    if (is_sub) {
      enemy_subs.add(entering(right, row, move_speed, kShotInterval));
    } else {
      fish.add(entering(right, row, move_speed, 0));
    }
  }

  TARL_HOST_DEVICE static inline bool oncoming(const Bodies<kMaxEnemies>& enemies, int row,
                                               bool right) {
    for (int i = 0; i < enemies.size; ++i) {
      if (enemies.item[i].y == row && (enemies.item[i].right != 0) != right) return true;
    }
    return false;
  }

  TARL_HOST_DEVICE inline void act(int action) {
    if (action == kFire && cooldown == 0) {
      bullets.add({static_cast<std::int8_t>(sub_x), static_cast<std::int8_t>(sub_y),
                   static_cast<std::int8_t>(facing_right), 0, 0});
      cooldown = kCooldown;
    } else if (action == kLeft) {
      sub_x = larger(0, sub_x - 1);
      facing_right = 0;
    } else if (action == kRight) {
      sub_x = smaller(kLast, sub_x + 1);
      facing_right = 1;
    } else if (action == kUp) {
      sub_y = larger(0, sub_y - 1);
    } else if (action == kDown) {
      sub_y = smaller(kSeabed, sub_y + 1);
    }
  }

  // Moves a friendly bullet; returns the reward. Fish shield submarines in the same cell.
  TARL_HOST_DEVICE inline int fly(int i) {
    Body& bullet = bullets.item[i];
    if (!bullet.advance()) {
      bullets.remove(i);
      return 0;
    }
    const int hit_fish = fish.find(bullet.x, bullet.y);
    const int hit_sub = hit_fish < 0 ? enemy_subs.find(bullet.x, bullet.y) : -1;
    if (hit_fish < 0 && hit_sub < 0) return 0;
    if (hit_fish >= 0) fish.remove(hit_fish);
    if (hit_sub >= 0) enemy_subs.remove(hit_sub);
    bullets.remove(i);
    return 1;
  }

  TARL_HOST_DEVICE inline void swim(int i) {
    Body& diver = divers.item[i];
    if (take_aboard(i)) return;
    if (diver.timer > 0) {
      --diver.timer;
      return;
    }
    diver.timer = kDiverMoveSpeed;
    if (!diver.advance()) {
      divers.remove(i);
    } else {
      take_aboard(i);
    }
  }

  TARL_HOST_DEVICE inline bool take_aboard(int i) {
    if (!divers.item[i].at(sub_x, sub_y) || divers_aboard >= kFullLoad) return false;
    divers.remove(i);
    ++divers_aboard;
    return true;
  }

  // One step of enemy i, whose record is `self`: it is stored back, or removed if it leaves the
  // grid or hits a bullet. Returns the reward.
  TARL_HOST_DEVICE inline int hunt(Bodies<kMaxEnemies>& enemies, int i, Body& self) {
    if (self.at(sub_x, sub_y)) terminal = 1;
    if (self.timer > 0) {
      --self.timer;
      enemies.item[i] = self;
      return 0;
    }
    self.timer = static_cast<std::int8_t>(move_speed);
    if (!self.advance()) {
      enemies.remove(i);
      return 0;
    }
    enemies.item[i] = self;
    if (self.at(sub_x, sub_y)) {
      terminal = 1;
      return 0;
    }
    const int bullet = bullets.find(self.x, self.y);
    if (bullet < 0) return 0;
    bullets.remove(bullet);
    enemies.remove(i);
    return 1;
  }

  // A submarine shoots even in the step that removes it.
  TARL_HOST_DEVICE inline int hunt_and_shoot(int i) {
    Body self = enemy_subs.item[i];
    const bool shoots = self.shot == 0;
    self.shot = static_cast<std::int8_t>(shoots ? kShotInterval : self.shot - 1);
    const int reward = hunt(enemy_subs, i, self);
    if (shoots) enemy_bullets.add({self.x, self.y, self.right, 0, 0});
    return reward;
  }

  TARL_HOST_DEVICE inline void fly_at_player(int i) {
    Body& bullet = enemy_bullets.item[i];
    if (bullet.at(sub_x, sub_y)) terminal = 1;
    if (!bullet.advance()) {
      enemy_bullets.remove(i);
    } else if (bullet.at(sub_x, sub_y)) {
      terminal = 1;
    }
  }

  // Oxygen, and the effect of reaching the surface; returns the reward.
  TARL_HOST_DEVICE inline int breathe() {
    if (oxygen <= 0) terminal = 1;
    if (sub_y > 0) {
      --oxygen;
      at_surface = 0;
    } else if (at_surface == 0) {
      if (divers_aboard != 0) return surface();
      terminal = 1;
    }
    return 0;
  }

  TARL_HOST_DEVICE inline int surface() {
    int reward = 0;
    at_surface = 1;
    if (divers_aboard == kFullLoad) {
      reward = tenths_of_oxygen();
      divers_aboard = 0;
    }
    oxygen = kOxygen;
    --divers_aboard;
    if (ramping != 0 && (enemy_spawn_speed > 1 || move_speed > kFastestMoveSpeed)) {
      if (move_speed > kFastestMoveSpeed && ramp_index % 2 == 1) --move_speed;
      if (enemy_spawn_speed > 1) --enemy_spawn_speed;
      ++ramp_index;
    }
    return reward;
  }

  // Rounded down, also below zero.
  TARL_HOST_DEVICE inline int tenths_of_oxygen() const {
    const int scaled = oxygen * 10;
    return scaled >= 0 ? scaled / kOxygen : -((-scaled + kOxygen - 1) / kOxygen);
  }
};

}  // namespace tarl::envs::minatar
