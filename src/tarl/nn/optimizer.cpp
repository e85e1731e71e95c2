// SPDX-License-Identifier: MIT
#include "tarl/nn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

namespace {

// Arrays that a team writes together and that exceed the caches of single cores.
constexpr std::size_t kManyFloats = std::size_t{512} * 1024;

bool past_caches(const Parameters& parameters, std::size_t floats) {
  return floats < parameters.size() && parameters.size() >= kManyFloats;
}

}  // namespace

AdamSizes adam_sizes(const OptimizerConfig& config, double rate, std::int64_t steps) {
  const auto t = static_cast<double>(steps + 1);
  return {static_cast<float>(rate / (1.0 - std::pow(config.beta1, t))),
          static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(config.beta2, t)))};
}

std::vector<std::string> Optimizer::state_names() const {
  if (config_.kind == OptimizerKind::kAdam) return {"exp_avg", "exp_avg_sq"};
  if (config_.centered) return {"square_avg", "grad_avg"};
  return {"square_avg"};
}

void Optimizer::apply(Parameters& parameters, Range share, float scale) const {
  const auto begin = static_cast<std::size_t>(share.begin);
  const auto end = static_cast<std::size_t>(share.end);
  if (config_.kind == OptimizerKind::kRmsprop) {
    RmspropStep step;
    step.value = parameters.values();
    step.grad = parameters.grads();
    step.square_avg = parameters.state(0);
    step.grad_avg = config_.centered ? parameters.state(1) : nullptr;
    step.scale = scale;
    step.rate = static_cast<float>(rate_);
    step.alpha = static_cast<float>(config_.alpha);
    step.one_minus_alpha = static_cast<float>(1.0 - config_.alpha);
    step.eps = static_cast<float>(config_.rmsprop_eps);
    step.past_caches = past_caches(parameters, end - begin);
    kernels().rmsprop(step, begin, end);
    return;
  }
  const AdamSizes sizes = next_sizes();
  AdamStep step;
  step.value = parameters.values();
  step.grad = parameters.grads();
  step.exp_avg = parameters.state(0);
  step.exp_avg_sq = parameters.state(1);
  step.scale = scale;
  step.step = sizes.step;
  step.root = sizes.root;
  step.beta1 = static_cast<float>(config_.beta1);
  step.one_minus_beta1 = static_cast<float>(1.0 - config_.beta1);
  step.beta2 = static_cast<float>(config_.beta2);
  step.one_minus_beta2 = static_cast<float>(1.0 - config_.beta2);
  step.eps = static_cast<float>(config_.adam_eps);
  step.past_caches = past_caches(parameters, end - begin);
  kernels().adam(step, begin, end);
}

int norm_chunks(const Parameters& parameters) {
  return static_cast<int>((parameters.size() + kNormChunk - 1) / kNormChunk);
}

void square_gradients(const Parameters& parameters, Range chunks, std::vector<double>& squares) {
  for (int chunk = chunks.begin; chunk < chunks.end; ++chunk) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kNormChunk;
    const std::size_t count = std::min<std::size_t>(kNormChunk, parameters.size() - begin);
    squares[static_cast<std::size_t>(chunk)] =
        kernels().sum_squares(parameters.grads() + begin, count);
  }
}

double norm_of(const std::vector<double>& squares) {
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

void mix_into(Parameters& target, const Parameters& online, double tau) {
  require(target.size() == online.size(), "target and online networks differ");
  if (tau == 1.0) {
    std::memcpy(target.values(), online.values(), target.size() * sizeof(float));
    return;
  }
  kernels().polyak(target.values(), online.values(), target.size(), static_cast<float>(tau));
}

}  // namespace tarl::nn
