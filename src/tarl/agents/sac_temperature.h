// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/sac_config.h"
#include "tarl/core/state.h"
#include "tarl/nn/arena.h"
#include "tarl/nn/optimizer.h"

namespace tarl::agents {

// SAC's entropy coefficient, fixed or learned, and its part of model files and checkpoints. A
// single number, which stays on the CPU even if the networks are on a device.
class Temperature {
 public:
  Temperature(const SacConfig& config, nn::Arena& arena);

  // Allocates from an arena that only counts, to size one of these.
  static void count_memory(const SacConfig& config, nn::Arena& arena);

  bool learned() const { return entropy_.learned; }

  double log_alpha() const { return double{*log_alpha_.values()}; }

  double alpha() const;

  double target_entropy() const { return target_entropy_; }

  // The loss -mean( log_alpha (log pi + target entropy) ) falls with log_alpha at the rate of the
  // mean, whatever log_alpha is. `gap` is the sum of log pi + target entropy over the rows.
  void step(double gap, int rows);

  void set_rate_share(double share) { optimizer_.set_rate_share(share); }

  void put_parameters(Tensors& out) const;
  void put_gradients(Tensors& out) const;
  void set_parameters(const StateReader& in);
  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  EntropyCoefficient entropy_;
  double target_entropy_;
  nn::ParameterLayout layout_;
  nn::Optimizer optimizer_;
  nn::Parameters log_alpha_;
};

}  // namespace tarl::agents
