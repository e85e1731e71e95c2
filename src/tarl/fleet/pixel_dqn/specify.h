// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/fleet/needs.h"
#include "tarl/fleet/pixel_dqn/plan.h"
#include "tarl/rl/spec.h"
#include "tarl/train/config.h"

namespace tarl::fleet::pixel_dqn {

// Why this program cannot compute a run, in a few words; empty if it can.
std::string why_not(const train::RunConfig& config);

// Both require why_not() to be empty.
Needs needs_of(const train::RunConfig& config);

// `spec` is that of the environment.
AgentPlan make_plan(const train::RunConfig& config, const rl::EnvSpec& spec);

}  // namespace tarl::fleet::pixel_dqn
