// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tarl/envs/box2d/bodies.h"

namespace tarl::envs::box2d {

inline constexpr int kLanderObs = 8;
inline constexpr int kLanderBodies = 3;
inline constexpr int kMoonPoints = 11;
inline constexpr double kPadHeight = kViewHeight / 4;

// The engines in one step. A jet is off centre by the two `scatter` values, in metres.
struct Thrust {
  double main = 0;            // power: 0, or 0.5 to 1
  double side = 0;            // power: 0, or 0.5 to 1
  double side_direction = 0;  // -1 left, 1 right
  std::array<double, 2> scatter{};
};

// The rocket above the ground. A new world every episode.
class LanderWorld {
 public:
  // The ground's heights from left to right, and the force that acts during the first step.
  LanderWorld(const std::array<double, kMoonPoints>& ground, double force_x, double force_y);
  ~LanderWorld();

  void step(const Thrust& thrust);

  // Position, velocity, angle and angular velocity of the rocket, scaled, then whether each leg
  // touches the ground.
  std::array<double, kLanderObs> observe() const;
  bool crashed() const;  // the rocket itself has touched the ground
  bool asleep() const;   // at rest

  // Rocket, left leg, right leg.
  std::array<BodyState, kLanderBodies> bodies() const;
  // Outlines of the same bodies in the world, for the picture.
  std::vector<std::vector<Point>> outlines() const;
  // Of everything observable in the state, for comparing two worlds.
  std::uint64_t hash() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Positions of the ground's points, from left to right.
constexpr double moon_x(int point) {
  return kViewWidth / (kMoonPoints - 1) * point;
}

}  // namespace tarl::envs::box2d
