// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/envs/box2d/lander_world.h"
#include "tarl/envs/box2d/replayed_env.h"

namespace tarl::envs::box2d {

// One episode of the landing task. The reward is the change of a potential that is highest at rest
// on the pad, less fuel; a crash or leaving the view costs 100, coming to rest pays 100.
class LanderEpisode final : public Episode {
 public:
  // Draws the ground and the first force, and takes the internal first step, engines off.
  LanderEpisode(bool continuous, Draws& draws);

  // Discrete: 0 nothing, 1 left engine, 2 main engine, 3 right engine. Continuous: main engine, on
  // above 0; side engines, on beyond +-0.5. Scatters the jet by two draws, whatever the action.
  Outcome play(std::span<const float> action, Draws& draws) override;
  void observe(std::span<float> out) const override;
  rl::Image draw() const override;

  std::uint64_t hash() const override { return world_.hash(); }

 private:
  bool continuous_;
  std::array<double, kMoonPoints> ground_;
  LanderWorld world_;
  Thrust thrust_;  // of the last step, for the picture
  double shaping_ = 0;
};

// LunarLander-v3, and LunarLanderContinuous-v3.
std::unique_ptr<rl::Environment> make_lunar_lander(bool continuous, Rng rng);

}  // namespace tarl::envs::box2d
