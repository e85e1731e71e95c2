// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tarl/report/analysis/analysis.h"

namespace tarl::report {

inline constexpr const char* kMarginSetting = "align.margin";  // of a plain agent 0

// Conditions that differ in one numeric setting alone.
struct SweepLine {
  std::string label;                 // what sets it apart from the sweep's other lines
  std::map<double, std::size_t> at;  // the algorithm of each value
  bool aligned = false;              // some of its algorithms
};

// A setting that the conditions of a study vary in three steps or more.
struct Sweep {
  std::string setting;  // by its name for --set
  std::vector<SweepLine> lines;
};

// Every such setting, by name. Plain agents begin each line over the margin whose other settings
// they share, whatever their settings of the alignment are.
std::vector<Sweep> find_sweeps(const Analysis& analysis);

}  // namespace tarl::report
