// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/rl/environment.h"

namespace tarl::envs::classic {

// Swing a pendulum up with a motor too weak to lift it (as in Gymnasium's Pendulum-v1). Never
// terminates; an episode is cut after 200 steps.
struct PendulumState {
  double theta = 0;      // radians from upright
  double theta_dot = 0;  // radians a second

  bool operator==(const PendulumState&) const = default;
};

// The state after one time step of 0.05 s with the given torque in newton metres.
PendulumState advanced(const PendulumState& state, double torque);

// What a step costs: distance from upright, speed and effort, all squared.
double cost(const PendulumState& state, double torque);

std::unique_ptr<rl::Environment> make_pendulum(Rng rng);

}  // namespace tarl::envs::classic
