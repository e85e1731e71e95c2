// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/fleet/agent_spec.h"

namespace tarl::fleet {

// A flat array of a network's parameters (or of one optimiser moment) as the tensors that models
// and checkpoints hold, <prefix>conv.weight and so on in PyTorch's layout, and back. Reading throws
// Error where a name or a size does not fit.
Tensors to_tensors(const NetPlan& net, std::span<const float> values, const std::string& prefix);
std::vector<float> from_tensors(const NetPlan& net, const StateReader& in,
                                const std::string& prefix);

}  // namespace tarl::fleet
