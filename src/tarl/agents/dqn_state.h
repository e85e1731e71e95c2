// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/trained_state.h"

// What model files and checkpoints hold of a DQN agent, whoever computes it.
namespace tarl::agents {

const TrainedNames& dqn_names();

// The online parameters.
Tensors dqn_parameters(const nn::ParameterLayout& layout, const float* online);

}  // namespace tarl::agents
