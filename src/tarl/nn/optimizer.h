// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/core/threads.h"
#include "tarl/nn/adam_sizes.h"
#include "tarl/nn/clip_scale.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

enum class OptimizerKind { kRmsprop, kAdam };
inline constexpr std::array kOptimizerNames = {"rmsprop", "adam"};

// Defaults: the paper's prototype for RMSprop, PyTorch's for Adam.
struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 3e-4;
  double alpha = 0.95;        // RMSprop: decay of the squared gradient
  double rmsprop_eps = 0.01;  // outside the square root
  bool centered = false;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double adam_eps = 1e-8;
};

// After `steps` updates.
AdamSizes adam_sizes(const OptimizerConfig& config, double rate, std::int64_t steps);

// PyTorch's RMSprop and Adam on Parameters::trained(layout, states(), ...).
class Optimizer {
 public:
  explicit Optimizer(const OptimizerConfig& config)
      : config_(config), rate_(config.learning_rate) {}

  // PyTorch's names of the state arrays, in the order of Parameters::state().
  std::vector<std::string> state_names() const;

  int states() const { return static_cast<int>(state_names().size()); }

  // Updates so far; they determine Adam's bias correction.
  std::int64_t steps() const { return steps_; }

  void set_steps(std::int64_t steps) { steps_ = steps; }

  // The factor of the learning rate for all following updates, for schedules. Not saved; a schedule
  // sets it before each update.
  void set_rate_share(double share) { rate_ = config_.learning_rate * share; }

  // Of the next update.
  double rate() const { return rate_; }

  // One update is apply() over shares that cover all parameters, followed by one count_step().
  // Gradients are multiplied by `scale` first. Shares have a grain of kLanes floats.
  void apply(Parameters& parameters, Range share, float scale) const;

  void count_step() { ++steps_; }

  // Of the next update. Requires Adam.
  AdamSizes next_sizes() const { return adam_sizes(config_, rate_, steps_); }

 private:
  OptimizerConfig config_;
  double rate_;
  std::int64_t steps_ = 0;
};

// The norm of all gradients, divided for a team: the squares of each chunk of kNormChunk floats sum
// to one number, and the chunks are added in order.
inline constexpr int kNormChunk = 4096;
int norm_chunks(const Parameters& parameters);
void square_gradients(const Parameters& parameters, Range chunks, std::vector<double>& squares);
double norm_of(const std::vector<double>& squares);

// target = (1 - tau) target + tau online; tau = 1 copies.
void mix_into(Parameters& target, const Parameters& online, double tau);

}  // namespace tarl::nn
