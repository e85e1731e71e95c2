// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "tarl/core/host_device.h"

// ReaPER's data, as plain structs that a GPU shares. All fields of a struct have the same width, so
// that the saved bytes hold no padding.
namespace tarl::replay {

inline constexpr int kPowerRows = 32;              // of a PowerGroup
inline constexpr int kPowerOrder = 6;              // of the series of a group's sum
inline constexpr int kRowOrder = 10;               // of the series of one row's value
inline constexpr double kPowerReach = 1.0 / 32;    // of both, relative to the base
inline constexpr double kLeastReliability = 1e-8;  // R is at least this

// A transition's weight: factor * base^omega. Base and value are without the group's shift.
struct PowerRow {
  double factor, base, value;
};

struct PowerGroup {
  double shift;     // added to every base since the group was closed
  double smallest;  // base then
  double sum;
  std::int64_t closed;
  double coefficient[kPowerOrder + 1];
};

// Transitions of a lane are counted from 0; an episode is [start, end) of these.
struct ReaperEpisode {
  std::int64_t number;  // over all lanes
  std::int64_t start;
  std::int64_t end;
  std::int64_t finished;
  std::int64_t recomputed_end;  // while it runs: R counts as 1 from here on
  double sum;                   // S, once finished
  double sum_power;             // S^-omega; 1 while it runs
};

struct ReaperLane {
  std::int64_t arrived = 0;   // transitions so far
  std::int64_t running = -1;  // entry of its running episode, or -1 between episodes
};

// R of a transition whose errors sum to `cumulative` up to it and to `sum` over its episode.
TARL_HOST_DEVICE inline double reliability(double cumulative, double sum) {
  const double share = cumulative / sum;
  return share < kLeastReliability ? kLeastReliability : share > 1.0 ? 1.0 : share;
}

// Binomial coefficients: `exponent` choose 0, 1, ...
using PowerSeries = std::array<double, kRowOrder + 1>;

constexpr PowerSeries power_series(double exponent) {
  PowerSeries binomial{1};
  for (int k = 1; k <= kRowOrder; ++k) binomial[k] = binomial[k - 1] * (exponent - (k - 1)) / k;
  return binomial;
}

}  // namespace tarl::replay
