// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn_state.h"

#include "tarl/agents/dqn.h"

namespace tarl::agents {

const TrainedNames& dqn_names() {
  static const TrainedNames names{
      .online = "q.", .target = "target.", .moment = "", .steps = "optimizer.steps"};
  return names;
}

Tensors dqn_parameters(const nn::ParameterLayout& layout, const float* online) {
  Tensors out;
  nn::export_tensors(layout, online, dqn_names().online, out);
  return out;
}

Tensors DqnAgent::parameters() const {
  return dqn_parameters(network_.layout(), online_.values());
}

Tensors DqnAgent::gradients() const {
  return dqn_parameters(network_.layout(), online_.grads());
}

void DqnAgent::set_parameters(const StateReader& in) {
  nn::import_tensors(network_.layout(), in, dqn_names().online, online_.values());
  nn::mix_into(target_, online_, 1);
}

void DqnAgent::save(StateWriter& out) const {
  save_trained(network_.layout(), optimizer_,
               trained_arrays<const float>(online_, &target_, optimizer_), dqn_names(), out);
}

void DqnAgent::load(const StateReader& in) {
  load_trained(network_.layout(), in, optimizer_,
               trained_arrays<float>(online_, &target_, optimizer_), dqn_names());
  batch_ = nullptr;
}

}  // namespace tarl::agents
