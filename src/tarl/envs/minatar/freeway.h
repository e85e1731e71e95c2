// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// Bring the chicken across eight lanes as often as possible in 2501 steps.
// Channels: 0 chicken, 1 car, 2..6 trail of a car of speed 1..5.
struct Freeway {
  static constexpr const char* kName = "freeway";
  static constexpr const char* kGymName = "Freeway";
  static constexpr int kChannels = 7;
  static constexpr int kActions = 3;

  TARL_HOST_DEVICE static inline int minimal_action(int k) {
    return k == 0 ? kNoop : k == 1 ? kUp : kDown;
  }

  static constexpr int kLanes = 8;  // lane k is row k + 1
  static constexpr int kSpeeds = 5;
  static constexpr int kColumn = 4;  // of the chicken
  static constexpr int kMoveInterval = 3;
  static constexpr int kClock = 2500;

  // A car moves one cell every |speed| + 1 steps, to the right if speed > 0.
  struct Car {
    std::int32_t x = 0;
    std::int32_t timer = 0;
    std::int32_t speed = 1;

    TARL_HOST_DEVICE inline bool right() const { return speed > 0; }

    TARL_HOST_DEVICE inline int interval() const { return speed > 0 ? speed : -speed; }
  };

  std::int32_t ramping = 1;  // no effect in this game
  std::int32_t terminal = 0;
  std::int32_t chicken_y = kLast;
  std::int32_t move_timer = kMoveInterval;
  std::int32_t clock = kClock;
  Car car[kLanes];

  template <class Draws>
  TARL_HOST_DEVICE inline void reset(Draws& draws) {
    for (Car& each : car) each.x = 0;
    change_traffic(draws);
    chicken_y = kLast;
    move_timer = kMoveInterval;
    clock = kClock;
    terminal = 0;
  }

  template <class Draws>
  TARL_HOST_DEVICE inline Outcome step(int action, Draws& draws) {
    if (terminal != 0) return {0, true};
    int reward = 0;
    if ((action == kUp || action == kDown) && move_timer == 0) {
      move_timer = kMoveInterval;
      chicken_y = action == kUp ? larger(0, chicken_y - 1) : smaller(kLast, chicken_y + 1);
    }
    if (chicken_y == 0) {
      reward = 1;
      change_traffic(draws);
      chicken_y = kLast;
    }
    for (int lane = 0; lane < kLanes; ++lane) drive(lane);
    if (move_timer > 0) --move_timer;
    --clock;
    if (clock < 0) terminal = 1;
    return {reward, terminal != 0};
  }

  template <class Canvas>
  TARL_HOST_DEVICE inline void render(Canvas& canvas) const {
    canvas.set(chicken_y, kColumn, 0);
    for (int lane = 0; lane < kLanes; ++lane) {
      const Car& each = car[lane];
      canvas.set(lane + 1, each.x, 1);
      canvas.set(lane + 1, wrapped(behind(each.x, each.right())), 1 + each.interval());
    }
  }

 private:
  // New speeds and directions; the cars stay where they are.
  template <class Draws>
  TARL_HOST_DEVICE inline void change_traffic(Draws& draws) {
    for (Car& each : car) each.speed = 1 + draws.index(kSpeeds);
    for (Car& each : car) {
      each.timer = each.speed;
      if (!(draws.real() > 0.5)) each.speed = -each.speed;
    }
  }

  TARL_HOST_DEVICE inline void drive(int lane) {
    Car& each = car[lane];
    hit_chicken(lane);
    if (each.timer > 0) {
      --each.timer;
      return;
    }
    each.timer = each.interval();
    each.x = wrapped(ahead(each.x, each.right()));
    hit_chicken(lane);
  }

  TARL_HOST_DEVICE inline void hit_chicken(int lane) {
    if (car[lane].x == kColumn && chicken_y == lane + 1) chicken_y = kLast;
  }
};

}  // namespace tarl::envs::minatar
