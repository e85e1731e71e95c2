// SPDX-License-Identifier: MIT
#include "tarl/agents/trained_state.h"

namespace tarl::agents {

namespace {

// "optimizer.<moment>.<prefix>" of each of the optimiser's moments.
std::vector<std::string> moment_prefixes(const nn::Optimizer& optimizer,
                                         const TrainedNames& names) {
  std::vector<std::string> prefixes;
  for (const std::string& moment : optimizer.state_names()) {
    prefixes.push_back("optimizer." + moment + "." + names.moment);
  }
  return prefixes;
}

}  // namespace

void save_trained(const nn::ParameterLayout& layout, const nn::Optimizer& optimizer,
                  const TrainedArrays<const float>& arrays, const TrainedNames& names,
                  StateWriter& out) {
  Tensors tensors;
  nn::export_tensors(layout, arrays.online, names.online, tensors);
  if (arrays.target != nullptr) {
    nn::export_tensors(layout, arrays.target, names.target, tensors);
  }
  const std::vector<std::string> prefixes = moment_prefixes(optimizer, names);
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    nn::export_tensors(layout, arrays.moments[i], prefixes[i], tensors);
  }
  for (const auto& [name, tensor] : tensors) out.put(name, tensor.as<float>());
  out.put(names.steps, optimizer.steps());
}

void load_trained(const nn::ParameterLayout& layout, const StateReader& in,
                  nn::Optimizer& optimizer, const TrainedArrays<float>& arrays,
                  const TrainedNames& names) {
  nn::import_tensors(layout, in, names.online, arrays.online);
  if (arrays.target != nullptr) nn::import_tensors(layout, in, names.target, arrays.target);
  const std::vector<std::string> prefixes = moment_prefixes(optimizer, names);
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    nn::import_tensors(layout, in, prefixes[i], arrays.moments[i]);
  }
  std::int64_t steps = 0;
  in.get(names.steps, steps);
  optimizer.set_steps(steps);
}

}  // namespace tarl::agents
