// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/rl/environment.h"

struct mjModel_;
struct mjData_;

namespace tarl::envs::mujoco {

// The view of a task: from the side along y, or from above.
struct View {
  bool from_above = false;
  double width = 4;     // metres shown
  bool follows = true;  // keeps the first body in the middle
};

// A flat drawing of the bodies in their current positions. Needs no graphics hardware: limbs are
// drawn as the capsules and spheres they are made of. Requires positions of geoms in `data`.
rl::Image draw(const mjModel_& model, const mjData_& data, const View& view);

}  // namespace tarl::envs::mujoco
