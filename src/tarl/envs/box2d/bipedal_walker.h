// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "tarl/envs/box2d/replayed_env.h"
#include "tarl/envs/box2d/walker_world.h"

namespace tarl::envs::box2d {

// One episode of the walking task.
class WalkerEpisode final : public Episode {
 public:
  // Draws the ground, the clouds and the first push, and takes the internal first step.
  WalkerEpisode(bool hardcore, Draws& draws);

  Outcome advance(const Torques& torques);

  Outcome play(std::span<const float> action, Draws& draws) override;
  void observe(std::span<float> out) const override;
  rl::Image draw() const override;

  std::uint64_t hash() const override { return world_.hash(); }

  const Terrain& terrain() const { return terrain_; }

  double push() const { return push_; }

  const WalkerWorld& world() const { return world_; }

 private:
  double shaping() const;

  Terrain terrain_;
  std::vector<std::vector<Point>> clouds_;
  double push_;
  WalkerWorld world_;
  double shaping_ = 0;
};

// BipedalWalker-v3, and its hardcore form with stumps, stairs and pits.
std::unique_ptr<rl::Environment> make_bipedal_walker(bool hardcore, Rng rng);

}  // namespace tarl::envs::box2d
