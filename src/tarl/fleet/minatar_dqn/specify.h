// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/fleet/minatar_dqn/agent_spec.h"
#include "tarl/nn/optimizer.h"
#include "tarl/nn/parameters.h"
#include "tarl/rl/spec.h"
#include "tarl/train/config.h"

namespace tarl::fleet {

// Why the program cannot compute this run, in a few words; empty where it can.
std::string why_not_minatar_dqn(const train::RunConfig& config);

// Requires why_not_minatar_dqn(config) to be empty.
AgentSpec make_spec(const train::RunConfig& config);

// The parts of a run that a spec describes, as the CPU has them: for names, sizes and orders.
rl::ObsSpec board_of(const NetPlan& net);
nn::ParameterLayout layout_of(const NetPlan& net);  // of the arrays in which NetPlan points
nn::Optimizer optimizer_of(const OptimizerPlan& plan);

}  // namespace tarl::fleet
