// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tarl/align/align.h"

namespace tarl::train {

// How an update chooses among its candidates.
struct ChoiceRule {
  align::Mode mode = align::Mode::kFilter;
  int batch_size = 0;    // m
  int oversampling = 0;  // b; above 0 only with the filter
  double kappa = 1;      // exponent of scores used as weights
};

// The rows an update learns from, in the order drawn, and the factors of their losses.
struct Kept {
  std::vector<std::int32_t> rows;
  std::vector<float> weight;
};

// The m best of m + b candidates, or all of them if b is 0, with importance weights normalised over
// the kept rows; rows may be weighted by their scores. `importance` has a raw weight for each
// candidate, `scores` a score each unless the rule needs none. Fills and returns `out`.
const Kept& choose(const ChoiceRule& rule, std::span<const double> scores,
                   std::span<const float> importance, Kept& out);

}  // namespace tarl::train
