// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "tarl/envs/box2d/bodies.h"
#include "tarl/envs/box2d/terrain.h"

namespace tarl::envs::box2d {

inline constexpr int kWalkerObs = 24;
inline constexpr int kWalkerJoints = 4;
inline constexpr int kWalkerBodies = 5;

using Torques = std::array<double, kWalkerJoints>;  // in [-1, 1]: hip, knee, hip, knee

// The two-legged walker on its ground. A new world every episode: Box2D orders contacts by their
// history, so a reused world would carry the previous episode into the next one.
class WalkerWorld {
 public:
  // `push` is a horizontal force on the hull during the first step.
  WalkerWorld(const Terrain& terrain, double push);
  ~WalkerWorld();

  void step(const Torques& torques);

  // Puts the bodies where an observation has them relative to the hull, which stays in place.
  void pose(std::span<const float> obs);

  std::array<float, kWalkerObs> observe() const;
  double hull_x() const;
  double hull_angle() const;
  bool hull_touched() const;

  // Hull, then upper and lower part of each leg.
  std::array<BodyState, kWalkerBodies> bodies() const;
  // Outlines of the same bodies in the world, for the picture.
  std::vector<std::vector<Point>> outlines() const;
  // Where the lidar rays of an observation hit the ground, from below the hull to ahead of it.
  std::vector<Point> ground_seen(std::span<const float> obs) const;
  // Everything observable in the state, for comparing two worlds.
  std::uint64_t hash() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tarl::envs::box2d
