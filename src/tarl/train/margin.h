// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tarl/train/config.h"

namespace tarl::train {

// The margins that "auto" chooses from, docs/algorithms/margin.md; the first is what the others are
// compared with.
inline constexpr std::array kMargins = {0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

// What an update costs with a margin.
struct MarginCost {
  double margin = 0;
  int oversampling = 0;  // b
  double seconds = 0;
};

// The largest margin whose update costs at most 1 + budget times that of the first.
double choose_margin(std::span<const MarginCost> costs, double budget);

// Times updates with each of kMargins for about a second in all, in turns, and takes the best time
// of each: what disturbs the machine disturbs all of them alike.
std::vector<MarginCost> measure_margins(const RunConfig& config, int threads);

// What was measured, a line a margin, and what was chosen.
std::vector<std::string> margin_report(std::span<const MarginCost> costs, const RunConfig& settled);

// The config with a number in the place of an open margin, chosen by what `measure` returns; as it
// is where the margin is not open. Throws UsageError where the update draws no candidates. Lines
// for the user go to `notice`, which may be empty.
using MeasureMargins = std::function<std::vector<MarginCost>(const RunConfig&, int threads)>;
RunConfig with_margin(RunConfig config, int threads,
                      const std::function<void(const std::string&)>& notice,
                      const MeasureMargins& measure = measure_margins);

}  // namespace tarl::train
