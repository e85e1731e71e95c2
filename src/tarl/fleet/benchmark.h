// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/train/config.h"

namespace tarl::fleet {

struct FleetRate {
  double agent_steps_per_s = 0;  // environment steps of all agents together
  double step_us = 0;            // time in which every agent makes one step
};

// How fast `agents` copies of a run with seeds of their own advance together once they learn.
// Measures whole slices until `seconds` have passed, at least three, and takes the median. Throws
// UsageError where a fleet cannot run it, Error where there is no device.
FleetRate measure_fleet(const train::RunConfig& config, int agents, double seconds);

}  // namespace tarl::fleet
