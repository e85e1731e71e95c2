// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn_state.h"

#include <cmath>

#include "tarl/agents/dqn.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"

namespace tarl::agents {

const TrainedNames& dqn_names() {
  static const TrainedNames names{
      .online = "q.", .target = "target.", .moment = "", .steps = "optimizer.steps"};
  return names;
}

nn::OptimizerConfig optimizer_of(const DqnConfig& config) {
  nn::OptimizerConfig out;
  out.kind = config.optimizer;
  out.learning_rate = config.learning_rate;
  out.alpha = config.rmsprop_alpha;
  out.rmsprop_eps = config.rmsprop_eps;
  out.centered = config.rmsprop_centered;
  out.beta1 = config.adam_beta1;
  out.beta2 = config.adam_beta2;
  out.adam_eps = config.adam_eps;
  return out;
}

void require_finite_step(double loss, double grad_norm, int rows) {
  if (std::isfinite(loss) && std::isfinite(grad_norm)) return;
  const char* what = std::isfinite(loss) ? "norm of the gradient" : "loss";
  throw NonFiniteError("the " + std::string(what) + " is not finite (loss " + format_number(loss) +
                       ", norm " + format_number(grad_norm) + ", batch of " + std::to_string(rows) +
                       "); parameters were left unchanged. Look for rewards or observations that "
                       "are not finite, or lower learning_rate");
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
