// SPDX-License-Identifier: MIT
#include "tarl/train/choose.h"

#include <algorithm>
#include <numeric>

#include "tarl/replay/draw.h"

namespace tarl::train {

const Kept& choose(const ChoiceRule& rule, std::span<const double> scores,
                   std::span<const float> importance, Kept& out) {
  const auto m = static_cast<std::size_t>(rule.batch_size);
  if (rule.oversampling > 0) {
    out.rows = align::keep_best(scores, rule.batch_size);
    std::sort(out.rows.begin(), out.rows.end());
  } else {
    out.rows.resize(m);
    std::iota(out.rows.begin(), out.rows.end(), 0);
  }
  out.weight.resize(m);
  replay::normalise_weights(importance, out.rows, out.weight);
  if (align::weighs(rule.mode)) {
    align::weigh_rows(rule.mode, rule.kappa, scores, out.rows, out.weight);
  }
  return out;
}

}  // namespace tarl::train
