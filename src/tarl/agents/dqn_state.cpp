// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn_state.h"

#include <string>

#include "tarl/agents/dqn.h"

namespace tarl::agents {

namespace {

constexpr const char* kOnline = "q.";
constexpr const char* kTarget = "target.";
constexpr const char* kSteps = "optimizer.steps";

std::string prefix_of(const std::string& moment) {
  return "optimizer." + moment + ".";
}

// Of a trained set of parameters, which may be const.
template <class Float, class Online, class Target>
DqnArrays<Float> arrays_of(Online& online, Target& target, const nn::Optimizer& optimizer) {
  DqnArrays<Float> arrays{online.values(), target.values(), {}};
  for (int i = 0; i < optimizer.states(); ++i) arrays.moments.push_back(online.state(i));
  return arrays;
}

}  // namespace

Tensors dqn_parameters(const nn::ParameterLayout& layout, const float* online) {
  Tensors out;
  nn::export_tensors(layout, online, kOnline, out);
  return out;
}

void load_dqn_parameters(const nn::ParameterLayout& layout, const StateReader& in, float* online) {
  nn::import_tensors(layout, in, kOnline, online);
}

void save_dqn(const nn::ParameterLayout& layout, const nn::Optimizer& optimizer,
              const DqnArrays<const float>& arrays, StateWriter& out) {
  Tensors tensors = dqn_parameters(layout, arrays.online);
  nn::export_tensors(layout, arrays.target, kTarget, tensors);
  const std::vector<std::string> moments = optimizer.state_names();
  for (std::size_t i = 0; i < moments.size(); ++i) {
    nn::export_tensors(layout, arrays.moments[i], prefix_of(moments[i]), tensors);
  }
  for (const auto& [name, tensor] : tensors) out.put(name, tensor.as<float>());
  out.put(kSteps, optimizer.steps());
}

void load_dqn(const nn::ParameterLayout& layout, const StateReader& in, nn::Optimizer& optimizer,
              const DqnArrays<float>& arrays) {
  load_dqn_parameters(layout, in, arrays.online);
  nn::import_tensors(layout, in, kTarget, arrays.target);
  const std::vector<std::string> moments = optimizer.state_names();
  for (std::size_t i = 0; i < moments.size(); ++i) {
    nn::import_tensors(layout, in, prefix_of(moments[i]), arrays.moments[i]);
  }
  std::int64_t steps = 0;
  in.get(kSteps, steps);
  optimizer.set_steps(steps);
}

Tensors DqnAgent::parameters() const {
  return dqn_parameters(network_.layout(), online_.values());
}

Tensors DqnAgent::gradients() const {
  return dqn_parameters(network_.layout(), online_.grads());
}

void DqnAgent::set_parameters(const StateReader& in) {
  load_dqn_parameters(network_.layout(), in, online_.values());
  nn::mix_into(target_, online_, 1);
}

void DqnAgent::save(StateWriter& out) const {
  save_dqn(network_.layout(), optimizer_, arrays_of<const float>(online_, target_, optimizer_),
           out);
}

void DqnAgent::load(const StateReader& in) {
  load_dqn(network_.layout(), in, optimizer_, arrays_of<float>(online_, target_, optimizer_));
  batch_ = nullptr;
}

}  // namespace tarl::agents
