// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tarl/report/analysis/analysis.h"

namespace tarl::report {

inline constexpr const char* kMarginSetting = "align.margin";  // 0 for a plain agent

// Conditions that differ only in one numeric setting.
struct SweepLine {
  std::string label;                 // what distinguishes it from the sweep's other lines
  std::map<double, std::size_t> at;  // the algorithm of each value
  bool aligned = false;              // at least one of its algorithms
};

// A setting with three or more values among the conditions of a study.
struct Sweep {
  std::string setting;  // its name for --set
  std::vector<SweepLine> lines;
};

// Every such setting, by name. A plain agent is the first point of each line over the margin whose
// other settings it shares, whatever its alignment settings are.
std::vector<Sweep> find_sweeps(const Analysis& analysis);

}  // namespace tarl::report
