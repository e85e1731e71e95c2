// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/rl/environment.h"

namespace tarl::envs::classic {

// A cart that can be pushed left or right balances a pole (Barto, Sutton and Anderson 1983, as
// in Gymnasium's CartPole-v1). One point per step until the pole leans past 12 degrees or the cart
// leaves the track; an episode is cut after 500 steps.
struct CartPoleState {
  double x = 0;          // metres from the middle of the track
  double x_dot = 0;      // metres a second
  double theta = 0;      // radians from upright, clockwise
  double theta_dot = 0;  // radians a second

  bool operator==(const CartPoleState&) const = default;
};

// The state after one time step of 0.02 s with the given force in newton, by Euler's method.
CartPoleState advanced(const CartPoleState& state, double force);

// Whether the pole has fallen or the cart has left the track.
bool fallen(const CartPoleState& state);

std::unique_ptr<rl::Environment> make_cartpole(Rng rng);

}  // namespace tarl::envs::classic
