// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/fleet/minatar_dqn/agent_spec.h"
#include "tarl/nn/optimizer.h"
#include "tarl/nn/parameters.h"
#include "tarl/rl/spec.h"
#include "tarl/train/config.h"

namespace tarl::fleet {

// Why the program cannot run this, in a few words; empty if it can.
std::string why_not_minatar_dqn(const train::RunConfig& config);

// Requires why_not_minatar_dqn(config) to be empty.
AgentSpec make_spec(const train::RunConfig& config);

// The parts of a run that a spec describes, as CPU types that know names, sizes and order.
rl::ObsSpec board_of(const NetPlan& net);
nn::ParameterLayout layout_of(const NetPlan& net);  // of the arrays that NetPlan indexes
nn::Optimizer optimizer_of(const OptimizerPlan& plan);

}  // namespace tarl::fleet
