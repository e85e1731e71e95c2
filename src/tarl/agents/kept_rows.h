// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tarl::agents {

// The rows of a batch that an update learns from, in the batch's order, with their weights. Sums
// over the kept rows then run as if the other rows were present but contributed nothing.
class KeptRows {
 public:
  explicit KeptRows(int max_rows);

  // Requires distinct rows in [0, batch_rows).
  void set(std::span<const std::int32_t> kept, std::span<const float> weight, int batch_rows);

  int size() const { return static_cast<int>(rows_.size()); }

  bool all() const { return size() == batch_rows_; }

  const std::vector<int>& rows() const { return rows_; }

  float weight(int i) const { return weight_[static_cast<std::size_t>(i)]; }

  // The mean of one number per kept row.
  double mean(std::span<const double> per_row) const;

 private:
  int batch_rows_ = 0;
  std::vector<int> rows_;
  std::vector<float> weight_;
  std::vector<int> slot_;  // position of a row in the caller's list, -1 if absent
};

}  // namespace tarl::agents
