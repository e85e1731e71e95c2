// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "tarl/rl/agent.h"

namespace tarl::test {

// What an update says about one metric; NaN where it says nothing.
inline double stat(const rl::UpdateStats& stats, rl::Metric metric) {
  for (const auto& [key, value] : stats) {
    if (key == metric) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tarl::test
