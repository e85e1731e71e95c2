// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tarl/core/host_device.h"

namespace tarl::train {

// Exploration rate after `step` of `steps`: linear from `initial` to `final` over the first
// `fraction` of the run, then constant, as in Stable-Baselines3.
TARL_HOST_DEVICE inline double exploration_rate(std::int64_t step, std::int64_t steps,
                                                double initial, double final, double fraction) {
  const double progress = static_cast<double>(step) / static_cast<double>(steps);
  if (progress >= fraction) return final;
  return initial + progress * (final - initial) / fraction;
}

// The factor of the learning rate for the update at `step`: 1, or decaying linearly to 0 at the end
// of the run, as Stable-Baselines3's lin_.
enum class Schedule { kConstant, kLinear };
inline constexpr std::array kScheduleNames = {"constant", "linear"};

inline double rate_share(Schedule schedule, double progress) {
  return schedule == Schedule::kConstant ? 1.0 : std::max(0.0, 1.0 - progress);
}

inline double rate_share(Schedule schedule, std::int64_t step, std::int64_t steps) {
  return rate_share(schedule, static_cast<double>(step) / static_cast<double>(steps));
}

// How many multiples of `interval` lie in (before, after].
TARL_HOST_DEVICE inline std::int64_t multiples_passed(std::int64_t before, std::int64_t after,
                                                      std::int64_t interval) {
  return after / interval - before / interval;
}

// How many of `count` evenly spaced evaluations are due by `step`; the last is due at `steps`. The
// product needs up to 80 bits.
inline std::int64_t evaluations_due(std::int64_t step, std::int64_t steps, std::int64_t count) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(step) * count / steps);
}

// The first step at which `evaluations` of them are due.
inline std::int64_t step_of_evaluation(std::int64_t evaluations, std::int64_t steps,
                                       std::int64_t count) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>((static_cast<Wide>(steps) * evaluations + count - 1) / count);
}

}  // namespace tarl::train
