// SPDX-License-Identifier: MIT
//
// What a DqnAgent writes to model files and checkpoints: PyTorch's layout and names throughout.
#include "tarl/agents/dqn.h"

namespace tarl::agents {

namespace {

void put_all(StateWriter& out, const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors) out.put(name, tensor.as<float>());
}

std::string state_prefix(const std::string& state) {
  return "optimizer." + state + ".";
}

}  // namespace

Tensors DqnAgent::parameters() const {
  Tensors out;
  nn::export_tensors(network_.layout(), online_.values(), "q.", out);
  return out;
}

Tensors DqnAgent::gradients() const {
  Tensors out;
  nn::export_tensors(network_.layout(), online_.grads(), "q.", out);
  return out;
}

void DqnAgent::set_parameters(const StateReader& in) {
  nn::import_tensors(network_.layout(), in, "q.", online_.values());
  nn::mix_into(target_, online_, 1);
}

void DqnAgent::save(StateWriter& out) const {
  Tensors tensors = parameters();
  nn::export_tensors(network_.layout(), target_.values(), "target.", tensors);
  const std::vector<std::string> states = optimizer_.state_names();
  for (std::size_t i = 0; i < states.size(); ++i) {
    nn::export_tensors(network_.layout(), online_.state(static_cast<int>(i)),
                       state_prefix(states[i]), tensors);
  }
  put_all(out, tensors);
  out.put("optimizer.steps", optimizer_.steps());
}

void DqnAgent::load(const StateReader& in) {
  nn::import_tensors(network_.layout(), in, "q.", online_.values());
  nn::import_tensors(network_.layout(), in, "target.", target_.values());
  const std::vector<std::string> states = optimizer_.state_names();
  for (std::size_t i = 0; i < states.size(); ++i) {
    nn::import_tensors(network_.layout(), in, state_prefix(states[i]),
                       online_.state(static_cast<int>(i)));
  }
  std::int64_t steps = 0;
  in.get("optimizer.steps", steps);
  optimizer_.set_steps(steps);
  batch_ = nullptr;
}

}  // namespace tarl::agents
