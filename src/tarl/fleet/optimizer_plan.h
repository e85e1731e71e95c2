// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tarl::nn {
struct OptimizerConfig;
}

namespace tarl::fleet {

// An optimiser as plain data, for kernels.
struct OptimizerPlan {
  std::int32_t adam = 0;
  std::int32_t centered = 0;
  double learning_rate = 0, beta1 = 0, beta2 = 0;  // Adam's step size depends on the step
  float rate = 0, alpha = 0, one_minus_alpha = 0, eps = 0;
  float adam_beta1 = 0, adam_beta2 = 0, one_minus_beta1 = 0, one_minus_beta2 = 0;

  int moments() const { return adam != 0 || centered != 0 ? 2 : 1; }
};

OptimizerPlan plan_of(const nn::OptimizerConfig& config);

}  // namespace tarl::fleet
