// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/dqn_config.h"
#include "tarl/agents/trained_state.h"

// A DQN agent in model files and checkpoints, on the CPU and on a GPU.
namespace tarl::agents {

const TrainedNames& dqn_names();

nn::OptimizerConfig optimizer_of(const DqnConfig& config);

// Throws NonFiniteError where the loss or the norm of the gradient of an update of so many rows is
// not finite.
void require_finite_step(double loss, double grad_norm, int rows);

// The online parameters.
Tensors dqn_parameters(const nn::ParameterLayout& layout, const float* online);

}  // namespace tarl::agents
