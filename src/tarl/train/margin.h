// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tarl/train/config.h"

namespace tarl::train {

// The margins that "auto" chooses from, docs/algorithms/margin.md.
inline constexpr std::array kMargins = {0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

// What a run with a margin costs: the time of an update, or of whatever a rule measures.
struct MarginCost {
  double margin = 0;
  int oversampling = 0;  // b
  double seconds = 0;
};

// How a kind of device chooses open margins.
struct MarginRule {
  // A subset of kMargins; the others are compared with the first.
  std::function<std::vector<MarginCost>(const RunConfig&, int threads)> measure;
  std::string what;   // what is timed
  double budget = 0;  // unless align.budget sets it
};

// On this machine's processors: times updates with each of kMargins for about a second in all,
// interleaved, and takes the best time of each, so that disturbances affect all of them alike.
// Allows 25 % more than the smallest margin costs.
const MarginRule& processor_margins();

// The largest margin that costs at most 1 + budget times the first.
double choose_margin(std::span<const MarginCost> costs, double budget);

// Replaces an open margin by the number that the rule chooses, and records the budget; returns the
// config unchanged if the margin is not open. Throws UsageError if the update draws no candidates.
// `notice`, which may be empty, receives a line for each margin and one for the choice.
RunConfig with_margin(RunConfig config, int threads,
                      const std::function<void(const std::string&)>& notice,
                      const MarginRule& rule = processor_margins());

}  // namespace tarl::train
