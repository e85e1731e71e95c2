// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "tarl/rl/agent.h"

namespace tarl::test {

// An update's value of one metric; NaN if it has none.
inline double stat(const rl::UpdateStats& stats, rl::Metric metric) {
  for (const auto& [key, value] : stats) {
    if (key == metric) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tarl::test
