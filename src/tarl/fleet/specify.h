// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/fleet/agent_spec.h"
#include "tarl/train/config.h"

namespace tarl::fleet {

// Why a fleet cannot run this, in a few words; empty where it can.
std::string why_not(const train::RunConfig& config);

// Requires why_not(config) to be empty.
AgentSpec make_spec(const train::RunConfig& config);

// Whether the fp16 kernel has this agent's network and optimiser; empty where it has.
std::string why_not_fp16(const AgentSpec& spec);

}  // namespace tarl::fleet
