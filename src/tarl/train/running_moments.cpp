// SPDX-License-Identifier: MIT
#include "tarl/train/running_moments.h"

#include <algorithm>
#include <cmath>

#include "tarl/core/error.h"

namespace tarl::train {

void RunningMoments::add(std::span<const double> rows) {
  const std::size_t size = mean_.size(), n = rows.size() / size;
  require(n > 0 && rows.size() == n * size, "rows of another size");
  const auto added = static_cast<double>(n);
  const double total = count_ + added;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < n; ++row) sum += rows[row * size + i];
    const double mean = sum / added;
    for (std::size_t row = 0; row < n; ++row) {
      const double off = rows[row * size + i] - mean;
      squares += off * off;
    }
    const double delta = mean - mean_[i];
    var_[i] = (var_[i] * count_ + squares + delta * delta * count_ * added / total) / total;
    mean_[i] += delta * added / total;
  }
  count_ = total;
}

void RunningMoments::save(const std::string& name, StateWriter& out) const {
  out.put(name + "_mean", mean_);
  out.put(name + "_var", var_);
  out.put(name + "_count", count_);
}

void RunningMoments::load(const std::string& name, const StateReader& in) {
  in.get(name + "_mean", mean_);
  in.get(name + "_var", var_);
  in.get(name + "_count", count_);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const auto is_variance = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!std::all_of(mean_.begin(), mean_.end(), is_finite) ||
      !std::all_of(var_.begin(), var_.end(), is_variance) || !is_variance(count_)) {
    throw Error("'" + name + "' holds moments that no numbers have; the file is damaged");
  }
}

}  // namespace tarl::train
