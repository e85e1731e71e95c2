// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn_config.h"

#include <limits>

namespace tarl::agents {

Fields fields(DqnConfig& config) {
  constexpr double kTiny = 1e-300;  // above zero
  // An optimiser's divisors must not vanish: 1 - beta^t, and the root of zero plus eps, which is a
  // float.
  constexpr double kBelowOne = 1 - std::numeric_limits<double>::epsilon() / 2;
  constexpr double kLeastEps = 1e-30;
  return {
      choice("policy.network", config.network, kNetworkNames,
             "network: minatar (bits), mlp (vectors), nature (pixels); auto picks by observation"),
      sizes("policy.net_arch", config.net_arch, 2, 65536,
            "widths of the hidden layers; empty: minatar [128], mlp [64, 64], nature [512]"),
      flag("dueling", config.dueling, "split Q into a value and advantages"),
      flag("double_q", config.double_q, "let the online network choose the next action (DDQN)"),
      number("learning_rate", config.learning_rate, kTiny, 1e3, "step size of the optimiser"),
      choice("loss", config.loss, nn::kLossNames, "loss of a TD error"),
      number("max_grad_norm", config.max_grad_norm, 0, 1e30,
             "largest norm of the gradient; 0: no limit"),
      choice("optimizer", config.optimizer, nn::kOptimizerNames, "PyTorch's form of either"),
      number("rmsprop.alpha", config.rmsprop_alpha, 0, kBelowOne, "memory of the squared gradient"),
      number("rmsprop.eps", config.rmsprop_eps, kLeastEps, 1e3, "added outside the root"),
      flag("rmsprop.centered", config.rmsprop_centered, "divide by the standard deviation"),
      number("adam.beta1", config.adam_beta1, 0, kBelowOne, "memory of the gradient"),
      number("adam.beta2", config.adam_beta2, 0, kBelowOne, "memory of the squared gradient"),
      number("adam.eps", config.adam_eps, kLeastEps, 1e3, "added outside the root"),
  };
}

DqnConfig completed(DqnConfig config, rl::ObsKind obs) {
  if (config.network == NetworkKind::kAuto) {
    config.network = obs == rl::ObsKind::kBits    ? NetworkKind::kMinatar
                     : obs == rl::ObsKind::kBytes ? NetworkKind::kNature
                                                  : NetworkKind::kMlp;
  }
  if (config.net_arch.empty()) {
    config.net_arch = config.network == NetworkKind::kMinatar  ? std::vector<std::int64_t>{128}
                      : config.network == NetworkKind::kNature ? std::vector<std::int64_t>{512}
                                                               : std::vector<std::int64_t>{64, 64};
  }
  return config;
}

}  // namespace tarl::agents
