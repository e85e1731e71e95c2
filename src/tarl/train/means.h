// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/rl/metrics.h"

namespace tarl::train {

// Running means of metrics between two log rows, in the order in which they first came.
class Means {
 public:
  // What one metric has gathered so far.
  struct Total {
    double sum = 0;
    std::int64_t count = 0;
  };

  void add(rl::Metric metric, double value);

  const Total& total(rl::Metric metric) const { return totals_[static_cast<std::size_t>(metric)]; }

  // For whoever keeps the sums elsewhere. Requires total.count > 0.
  void set(rl::Metric metric, const Total& total);

  // The means so far, by name; starts anew.
  std::vector<std::pair<std::string, double>> take();

  // The mean so far of one metric, or `otherwise`.
  double peek(rl::Metric metric, double otherwise) const;

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  Total& total_of(rl::Metric metric);

  std::array<Total, rl::kMetricCount> totals_{};
  std::vector<rl::Metric> order_;
};

}  // namespace tarl::train
