// SPDX-License-Identifier: MIT
#include "tarl/fleet/optimizer_plan.h"

#include "tarl/nn/optimizer.h"

namespace tarl::fleet {

OptimizerPlan plan_of(const nn::OptimizerConfig& config) {
  OptimizerPlan plan;
  plan.adam = config.kind == nn::OptimizerKind::kAdam ? 1 : 0;
  plan.centered = plan.adam == 0 && config.centered ? 1 : 0;
  plan.learning_rate = config.learning_rate;
  plan.beta1 = config.beta1;
  plan.beta2 = config.beta2;
  plan.rate = static_cast<float>(config.learning_rate);
  plan.alpha = static_cast<float>(config.alpha);
  plan.one_minus_alpha = static_cast<float>(1.0 - config.alpha);
  plan.eps = static_cast<float>(plan.adam != 0 ? config.adam_eps : config.rmsprop_eps);
  plan.adam_beta1 = static_cast<float>(config.beta1);
  plan.adam_beta2 = static_cast<float>(config.beta2);
  plan.one_minus_beta1 = static_cast<float>(1.0 - config.beta1);
  plan.one_minus_beta2 = static_cast<float>(1.0 - config.beta2);
  return plan;
}

}  // namespace tarl::fleet
