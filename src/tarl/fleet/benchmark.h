// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/fleet/fleet_run.h"
#include "tarl/train/config.h"
#include "tarl/train/margin.h"

namespace tarl::fleet {

struct FleetRate {
  double agent_steps_per_s = 0;  // environment steps of all agents together
  double step_us = 0;            // time for one step of every agent
};

// The steps of a measurement.
struct MeasuredSteps {
  std::int64_t warm_up = 1'000;  // updates begin halfway
  std::int64_t slice = kLongestSlice;
};

// The rate at which `agents` copies of a run, each with its own seed, advance together once they
// learn. Measures whole slices for at least `seconds` and at least three slices, and takes the
// median. Throws UsageError if a fleet cannot run the config, Error if there is no device.
FleetRate measure_fleet(const train::RunConfig& config, int agents, double seconds,
                        const MeasuredSteps& steps = {});

// The same for the given runs.
FleetRate measure_fleet(const std::vector<train::RunConfig>& configs, double seconds,
                        const MeasuredSteps& steps = {});

// How a fleet of `agents` agents chooses open margins: by the cost of one step of all of them,
// which may be a tenth above that of b = m. Margins with more candidates than the fleet supports
// are left out.
train::MarginRule fleet_margins(int agents, const MeasuredSteps& steps = {});

}  // namespace tarl::fleet
