// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/rl/environment.h"

namespace tarl::envs::classic {

// A car in a valley, too weak for the slope, rocks itself up to the flag (Moore 1990, as in
// Gymnasium). The continuous task has a state in single precision, as Gymnasium computes it.
template <class Number>
struct MountainCarState {
  Number position = 0;  // -1.2 (a wall) to 0.6
  Number velocity = 0;  // per step

  bool operator==(const MountainCarState&) const = default;
};

// The state after one step in which the engine adds `push` to the velocity.
template <class Number>
MountainCarState<Number> advanced(MountainCarState<Number> state, Number push);

// MountainCar-v0: push left, nothing, push right. Costs one point per step; an episode ends at the
// flag and is cut after 200 steps.
std::unique_ptr<rl::Environment> make_mountain_car(Rng rng);

// MountainCarContinuous-v0: the push is the action. Effort costs a tenth of its square, and the
// flag pays 100; an episode is cut after 999 steps.
std::unique_ptr<rl::Environment> make_mountain_car_continuous(Rng rng);

}  // namespace tarl::envs::classic
