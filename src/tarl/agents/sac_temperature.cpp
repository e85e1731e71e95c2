// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_temperature.h"

#include <cmath>
#include <string>

#include "tarl/core/error.h"

namespace tarl::agents {

namespace {

nn::Optimizer temperature_adam(const SacConfig& config) {
  return nn::Optimizer({.kind = nn::OptimizerKind::kAdam, .learning_rate = config.learning_rate});
}

nn::ParameterLayout one_number(const std::string& name) {
  nn::ParameterLayout layout;
  layout.add_vector(name, {1});
  return layout;
}

}  // namespace

Temperature::Temperature(const SacConfig& config, nn::Arena& arena)
    : entropy_(entropy_coefficient(config)),
      target_entropy_(config.target_entropy),
      layout_(one_number("log_alpha")),
      optimizer_(temperature_adam(config)),
      log_alpha_(nn::Parameters::trained(layout_, optimizer_.states(), arena)) {
  require(!std::isnan(target_entropy_), "settings of SAC that are not completed");
  *log_alpha_.values() = static_cast<float>(std::log(entropy_.initial));
}

void Temperature::count_memory(const SacConfig& config, nn::Arena& arena) {
  nn::Parameters::trained(one_number("log_alpha"), temperature_adam(config).states(), arena);
}

double Temperature::alpha() const {
  return std::exp(log_alpha());
}

void Temperature::step(double gap, int rows) {
  *log_alpha_.grads() = static_cast<float>(-gap / rows);
  optimizer_.apply(log_alpha_, {0, static_cast<int>(log_alpha_.size())}, 1.0F);
  optimizer_.count_step();
}

void Temperature::put_parameters(Tensors& out) const {
  nn::export_tensors(layout_, log_alpha_.values(), "", out);
}

void Temperature::put_gradients(Tensors& out) const {
  nn::export_tensors(layout_, log_alpha_.grads(), "", out);
}

void Temperature::set_parameters(const StateReader& in) {
  nn::import_tensors(layout_, in, "", log_alpha_.values());
}

void Temperature::save(StateWriter& out) const {
  out.put("log_alpha", *log_alpha_.values());
  out.put("optimizer.exp_avg.log_alpha", *log_alpha_.state(0));
  out.put("optimizer.exp_avg_sq.log_alpha", *log_alpha_.state(1));
  out.put("optimizer.log_alpha.steps", optimizer_.steps());
}

void Temperature::load(const StateReader& in) {
  in.get("log_alpha", *log_alpha_.values());
  in.get("optimizer.exp_avg.log_alpha", *log_alpha_.state(0));
  in.get("optimizer.exp_avg_sq.log_alpha", *log_alpha_.state(1));
  for (const float* value : {log_alpha_.values(), log_alpha_.state(0), log_alpha_.state(1)}) {
    if (!std::isfinite(*value)) throw NonFiniteError("'log_alpha' is not finite");
  }
  std::int64_t steps = 0;
  in.get("optimizer.log_alpha.steps", steps);
  optimizer_.set_steps(steps);
}

}  // namespace tarl::agents
