// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/trained_state.h"

// A DQN agent in model files and checkpoints, on the CPU and on a GPU.
namespace tarl::agents {

const TrainedNames& dqn_names();

// The online parameters.
Tensors dqn_parameters(const nn::ParameterLayout& layout, const float* online);

}  // namespace tarl::agents
