// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "tarl/rl/metrics.h"

namespace tarl::report {

// The shares of the four scenarios: columns of progress.csv, and how figures show them.
struct ScenarioColumn {
  const char* column;
  const char* label;
  const char* style;
};

inline constexpr std::array kScenarioColumns = {
    ScenarioColumn{rl::name_of(rl::Metric::kScenarioPerfect), "I perfect", "c2"},
    ScenarioColumn{rl::name_of(rl::Metric::kScenarioUndershoot), "II undershoot", "c0"},
    ScenarioColumn{rl::name_of(rl::Metric::kScenarioOvershoot), "III overshoot", "c4"},
    ScenarioColumn{rl::name_of(rl::Metric::kScenarioMisaligned), "IV misaligned", "c1"},
};

}  // namespace tarl::report
