// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tarl/core/files.h"

namespace tarl::store {

// The training episodes of monitor.csv.
struct Episodes {
  std::vector<double> steps;  // environment step at which each ended
  std::vector<double> returns;
  std::vector<double> lengths;

  std::size_t count() const { return steps.size(); }
};

// Lines that are cut short or do not hold three numbers are skipped. Throws Error if the file
// cannot be read.
Episodes read_monitor(const fs::path& file);

// The step at which the last episode ended, read from the end of the file; 0 if there is none or it
// cannot be read.
std::int64_t last_monitor_step(const fs::path& file);

}  // namespace tarl::store
