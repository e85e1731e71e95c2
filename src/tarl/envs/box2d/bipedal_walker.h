// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tarl/envs/box2d/walker_world.h"
#include "tarl/rl/environment.h"

namespace tarl::envs::box2d {

// One episode of the walking task, a function of the reset's draws and of the actions alone.
class WalkerEpisode {
 public:
  // Draws the ground, the clouds and the first push, and takes the internal first step.
  WalkerEpisode(bool hardcore, Draws& draws);

  struct Outcome {
    double reward = 0;
    bool terminated = false;
  };

  Outcome advance(const Torques& torques);

  const Terrain& terrain() const { return terrain_; }

  double push() const { return push_; }

  const WalkerWorld& world() const { return world_; }

  rl::Image draw() const;

 private:
  double shaping() const;

  Terrain terrain_;
  std::vector<std::vector<Point>> clouds_;
  double push_;
  WalkerWorld world_;
  double shaping_ = 0;
};

// BipedalWalker-v3, and its hardcore form with stumps, stairs and pits.
class BipedalWalker final : public rl::Environment {
 public:
  BipedalWalker(bool hardcore, Rng rng);

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override;
  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override;

  // Box2D's inner state cannot be read, so a save is the stream at the reset and the actions
  // since; a load plays them again and compares the outcome.
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  std::optional<rl::Image> render(std::string& why) const override;

 private:
  void begin_episode();
  WalkerEpisode::Outcome play(std::size_t step);

  bool hardcore_;
  Rng rng_;
  rl::EnvSpec spec_;
  Rng episode_rng_;
  std::vector<float> actions_;  // [steps][4] of this episode
  std::unique_ptr<WalkerEpisode> episode_;
};

}  // namespace tarl::envs::box2d
