// SPDX-License-Identifier: MIT
#include "tarl/study/results/trace_means.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tarl/core/is_there.h"
#include "tarl/store/progress_csv.h"
#include "tarl/store/run_files.h"
#include "tarl/store/trace.h"

namespace tarl::study {

namespace {

enum Quantity { kQ, kError, kSize, kMovement, kQuantities };

constexpr std::array kNames = {"q", "offline_error", "offline_size", "movement"};

struct Sums {
  std::array<double, kQuantities> all{}, kept{};
  double rows = 0, kept_rows = 0;
};

Sums sums_of(const store::Trace& trace, std::size_t update) {
  const auto candidates = static_cast<std::size_t>(trace.shape.candidates);
  const auto critics = static_cast<std::size_t>(trace.shape.critics);
  Sums sums;
  for (std::size_t i = 0; i < critics * candidates; ++i) {
    const std::size_t at = update * critics * candidates + i;
    const double q = trace.q[at], error = double{trace.y_offline[at]} - q;
    const bool kept = trace.kept[update * candidates + i % candidates] != 0;
    const std::array<double, kQuantities> values = {
        q, error, std::fabs(error), double{trace.y_online[at]} - trace.y_offline[at]};
    for (std::size_t k = 0; k < kQuantities; ++k) {
      sums.all[k] += values[k];
      if (kept) sums.kept[k] += values[k];
    }
    sums.rows += 1;
    sums.kept_rows += kept ? 1 : 0;
  }
  return sums;
}

void add(const Sums& from, Sums& to) {
  for (std::size_t k = 0; k < kQuantities; ++k) {
    to.all[k] += from.all[k];
    to.kept[k] += from.kept[k];
  }
  to.rows += from.rows;
  to.kept_rows += from.kept_rows;
}

}  // namespace

void add_trace_means(const fs::path& folder, std::map<std::string, statistics::Curve>& columns) {
  const auto steps = columns.find(store::kStepColumn);
  if (!is_there(folder / store::kTraceFile) || steps == columns.end()) return;
  const store::Trace trace = store::read_trace(folder / store::kTraceFile);
  std::vector<Sums> rows(steps->second.size());
  for (std::size_t update = 0; update < trace.updates(); ++update) {
    // The row of a step is written before that step's update.
    const auto after = std::upper_bound(steps->second.begin(), steps->second.end(),
                                        static_cast<double>(trace.step[update]));
    if (after == steps->second.end()) continue;
    add(sums_of(trace, update), rows[static_cast<std::size_t>(after - steps->second.begin())]);
  }
  for (std::size_t k = 0; k < kQuantities; ++k) {
    const std::string name = std::string(kTracePrefix) + kNames[k];
    statistics::Curve &all = columns[name], &kept = columns[name + "_kept"];
    for (const Sums& row : rows) {
      all.push_back(row.all[k] / row.rows);
      kept.push_back(row.kept[k] / row.kept_rows);
    }
  }
}

}  // namespace tarl::study
