// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/fleet/fleet_run.h"
#include "tarl/train/config.h"
#include "tarl/train/margin.h"

namespace tarl::fleet {

struct FleetRate {
  double agent_steps_per_s = 0;  // environment steps of all agents together
  double step_us = 0;            // time in which every agent makes one step
};

// Steps of a measurement.
struct MeasuredSteps {
  std::int64_t warm_up = 1'000;  // the later half with updates
  std::int64_t slice = kLongestSlice;
};

// How fast `agents` copies of a run with seeds of their own advance together once they learn.
// Measures whole slices until `seconds` have passed, at least three, and takes the median. Throws
// UsageError where a fleet cannot run it, Error where there is no device.
FleetRate measure_fleet(const train::RunConfig& config, int agents, double seconds,
                        const MeasuredSteps& steps = {});

// The same of different runs, as they are.
FleetRate measure_fleet(const std::vector<train::RunConfig>& configs, double seconds,
                        const MeasuredSteps& steps = {});

// How a fleet of so many agents chooses open margins: by what a step of all of them costs, a tenth
// more than with b = m allowed. Margins of which it cannot draw so many candidates are left out.
train::MarginRule fleet_margins(int agents, const MeasuredSteps& steps = {});

}  // namespace tarl::fleet
