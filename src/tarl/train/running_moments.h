// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tarl/core/state.h"

namespace tarl::train {

// Mean and variance of each of `size` numbers over all rows seen, as Stable-Baselines3's
// RunningMeanStd: Chan's update, starting from 1e-4 rows of mean 0 and variance 1.
class RunningMoments {
 public:
  explicit RunningMoments(std::size_t size) : mean_(size, 0.0), var_(size, 1.0) {}

  // Adds one or more contiguous rows of `size` numbers.
  void add(std::span<const double> rows);

  std::span<const double> mean() const { return mean_; }

  std::span<const double> var() const { return var_; }  // population variance

  double count() const { return count_; }

  // As <name>_mean, <name>_var and <name>_count.
  void save(const std::string& name, StateWriter& out) const;

  // Throws Error if they cannot have been saved.
  void load(const std::string& name, const StateReader& in);

 private:
  std::vector<double> mean_, var_;
  double count_ = 1e-4;
};

}  // namespace tarl::train
