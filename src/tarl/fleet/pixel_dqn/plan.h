// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tarl/fleet/optimizer_plan.h"
#include "tarl/nn/conv2d.h"
#include "tarl/nn/loss.h"
#include "tarl/nn/parameters.h"

namespace tarl::fleet::pixel_dqn {

// Limits of the program; runs that exceed them are refused by name.
inline constexpr int kMostStack = 4;               // frames of an observation
inline constexpr int kMostFrameBytes = 84 * 84;    // of one frame
inline constexpr int kMostPositions = 64;          // outputs of the last convolution per map
inline constexpr std::int64_t kMostWidth = 1024;   // of the hidden layer
inline constexpr std::int64_t kMostActRows = 128;  // observations acted on at a time

// The constants of an agent.
struct AgentPlan {
  int height = 0, width = 0, stack = 0;  // of observations: one channel per frame
  int actions = 0;
  bool dueling = false, double_q = false;
  bool scores = false;  // the filter needs them
  int batch = 0, candidates = 0;
  nn::LossKind loss = nn::LossKind::kHuber;
  double gamma = 0, tau = 0, max_grad_norm = 0;
  OptimizerPlan optimizer;
  bool halves = false;  // fleet.precision = fp16
  int act_rows = 1;
  std::int64_t frames = 0;  // that the replay holds

  // The CPU's network in the CPU's layout; the first convolution reads blocks of pixels.
  nn::ParameterLayout layout;
  std::array<nn::Conv2d, 3> convs;
  nn::Linear hidden, head;

  int frame_bytes() const { return height * width; }

  int features() const { return convs.back().out_size(); }

  // Whether targets or scores need the online network at next observations.
  bool online_next() const { return double_q || scores; }

  // Rows that pass through the online network in an update.
  int online_rows() const { return online_next() ? 2 * candidates : candidates; }
};

// The parameters and optimiser state of an agent, in its layout.
struct Numbers {
  std::vector<float> values, target;
  std::vector<std::vector<float>> moments;
};

}  // namespace tarl::fleet::pixel_dqn
