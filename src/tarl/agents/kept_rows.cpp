// SPDX-License-Identifier: MIT
#include "tarl/agents/kept_rows.h"

#include <algorithm>

#include "tarl/core/error.h"

namespace tarl::agents {

KeptRows::KeptRows(int max_rows)
    : weight_(static_cast<std::size_t>(max_rows)), slot_(static_cast<std::size_t>(max_rows)) {
  rows_.reserve(static_cast<std::size_t>(max_rows));
}

void KeptRows::set(std::span<const std::int32_t> kept, std::span<const float> weight,
                   int batch_rows) {
  require(!kept.empty() && kept.size() == weight.size(), "one weight for each kept row");
  batch_rows_ = batch_rows;
  std::fill_n(slot_.begin(), batch_rows, -1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    require(kept[i] >= 0 && kept[i] < batch_rows, "a kept row is outside the batch");
    int& slot = slot_[static_cast<std::size_t>(kept[i])];
    require(slot < 0, "a row is kept twice");
    slot = static_cast<int>(i);
  }
  rows_.clear();
  for (int row = 0; row < batch_rows; ++row) {
    const int slot = slot_[static_cast<std::size_t>(row)];
    if (slot < 0) continue;
    weight_[rows_.size()] = weight[static_cast<std::size_t>(slot)];
    rows_.push_back(row);
  }
}

double KeptRows::mean(std::span<const double> per_row) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) sum += per_row[i];
  return sum / static_cast<double>(rows_.size());
}

}  // namespace tarl::agents
