// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace tarl::statistics {

inline constexpr double kAlpha = 0.05;
inline constexpr double kPower = 0.80;

// Chance that a test at level kAlpha finds a true difference of `effect` standard deviations
// (of the differences / of one group) with n normal seeds (a side). Requires n >= 2.
double paired_power(double effect, int n);
double welch_power(double effect, int n);

// The smallest effect found with power kPower.
double smallest_effect_paired(int n);
double smallest_effect_welch(int n);

// The fewest pairs that find `effect` with power kPower and can reach p < kAlpha in the sign-flip
// test at all; nothing when it takes more than `limit`.
std::optional<int> seeds_needed(double effect, int limit = 1000);

// Share of nominal 95 % percentile-bootstrap intervals of a mean of n values that hold the truth,
// simulated for normal and log-normal values; between the simulated n, interpolated in 1/n.
struct Coverage {
  double normal, log_normal;
};

Coverage bootstrap_coverage(int n);

// "5 seeds: ..." in one paragraph: what n seeds can and cannot show.
std::string what_seeds_can_show(int n);

}  // namespace tarl::statistics
