// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/nn/optimizer.h"
#include "tarl/nn/parameters.h"

// A trained set of parameters in checkpoints, on the CPU and on a GPU: PyTorch's layout and names
// throughout.
namespace tarl::agents {

// Its arrays, borrowed, all of one layout.
template <class Float>
struct TrainedArrays {
  Float* online = nullptr;
  Float* target = nullptr;      // null if there is none
  std::vector<Float*> moments;  // in the order of nn::Optimizer::state_names()
};

// The prefixes of its tensors' names.
struct TrainedNames {
  std::string online;
  std::string target;
  std::string moment;  // after "optimizer.<moment>."
  std::string steps;   // the full name of the optimiser's step count
};

// For a set that may be const.
template <class Float, class Online, class Target>
TrainedArrays<Float> trained_arrays(Online& online, Target* target,
                                    const nn::Optimizer& optimizer) {
  TrainedArrays<Float> arrays{online.values(), target != nullptr ? target->values() : nullptr, {}};
  for (int i = 0; i < optimizer.states(); ++i) arrays.moments.push_back(online.state(i));
  return arrays;
}

// Everything, including the optimiser's step count.
void save_trained(const nn::ParameterLayout& layout, const nn::Optimizer& optimizer,
                  const TrainedArrays<const float>& arrays, const TrainedNames& names,
                  StateWriter& out);
void load_trained(const nn::ParameterLayout& layout, const StateReader& in,
                  nn::Optimizer& optimizer, const TrainedArrays<float>& arrays,
                  const TrainedNames& names);

}  // namespace tarl::agents
