// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/core/state.h"
#include "tarl/nn/optimizer.h"
#include "tarl/nn/parameters.h"

// What model files and checkpoints hold of a DQN agent, whoever computes it: PyTorch's layout and
// names throughout.
namespace tarl::agents {

// Its arrays, borrowed, all of one layout.
template <class Float>
struct DqnArrays {
  Float* online = nullptr;
  Float* target = nullptr;
  std::vector<Float*> moments;  // in the order of nn::Optimizer::state_names()
};

// The online parameters.
Tensors dqn_parameters(const nn::ParameterLayout& layout, const float* online);
void load_dqn_parameters(const nn::ParameterLayout& layout, const StateReader& in, float* online);

// Everything; of the optimiser its number of steps.
void save_dqn(const nn::ParameterLayout& layout, const nn::Optimizer& optimizer,
              const DqnArrays<const float>& arrays, StateWriter& out);
void load_dqn(const nn::ParameterLayout& layout, const StateReader& in, nn::Optimizer& optimizer,
              const DqnArrays<float>& arrays);

}  // namespace tarl::agents
