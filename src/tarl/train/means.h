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

// Running means of metrics between two log rows, in order of first appearance.
class Means {
 public:
  // The sum of one metric so far.
  struct Total {
    double sum = 0;
    std::int64_t count = 0;
  };

  void add(rl::Metric metric, double value);

  const Total& total(rl::Metric metric) const { return totals_[static_cast<std::size_t>(metric)]; }

  // For sums that are kept elsewhere. Requires total.count > 0.
  void set(rl::Metric metric, const Total& total);

  // Returns the means so far, by name, and starts over.
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
