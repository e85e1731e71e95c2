// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/rl/environment.h"

namespace tarl::envs::classic {

// Two links hang from a pivot; a motor between them swings the tip above the bar (Sutton 1996, with
// the equations of Sutton and Barto's book, as in Gymnasium's Acrobot-v1). Costs one point per step
// until the tip is one link's length above the pivot; an episode is cut after 500 steps.
struct AcrobotState {
  double theta1 = 0;      // radians of the upper link from hanging
  double theta2 = 0;      // radians of the lower link from the upper one's direction
  double theta1_dot = 0;  // radians a second
  double theta2_dot = 0;  // radians a second

  bool operator==(const AcrobotState&) const = default;
};

// The state after one time step of 0.2 s with the given torque in newton metres, by one step of the
// classical Runge-Kutta method. Angles are wrapped to [-pi, pi], speeds are clamped.
AcrobotState advanced(const AcrobotState& state, double torque);

// Whether the tip is above the bar.
bool swung_up(const AcrobotState& state);

std::unique_ptr<rl::Environment> make_acrobot(Rng rng);

}  // namespace tarl::envs::classic
