// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"

namespace tarl::agents {

// The squashed Gaussian of SAC on rows of network outputs [mu | log_std]:
//   u = mu + exp(log_std) eps,  a = tanh(u),
//   log pi = sum_k [ -eps_k^2 / 2 - log_std_k - log(2 pi) / 2 - log(1 - a_k^2 + 1e-6) ]
// with log_std limited to [kLowestLogStd, kHighestLogStd]. A row's result depends only on the row.
class SquashedGaussian {
 public:
  SquashedGaussian(int action_size, int max_rows, nn::Arena& arena);

  // Allocates from an arena that only counts, to size one of these.
  static void count_memory(int action_size, int max_rows, nn::Arena& arena);

  // The noise eps, for the caller to fill.
  nn::Rows noise() const { return noise_; }

  // Writes the actions of `rows` to columns [column, column + size) of x and stores what backward()
  // needs.
  void sample(nn::ConstRows heads, Range rows, nn::Rows x, int column);

  std::span<const float> log_prob() const { return log_prob_; }

  // The gradient of the heads from da (of the actions) and the weight of each row's log pi.
  void backward(nn::ConstRows heads, Range rows, nn::ConstRows da, float log_prob_weight,
                nn::Rows dheads) const;

 private:
  void sample_block(nn::ConstRows heads, Range rows, nn::Rows x, int column);

  int size_;
  nn::Rows noise_, deviation_, action_, slope_;
  std::vector<float> log_prob_;
};

}  // namespace tarl::agents
