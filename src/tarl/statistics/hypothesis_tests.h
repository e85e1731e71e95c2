// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/core/rng.h"

namespace tarl::statistics {

// Two-sided sign-flip test of paired per-seed differences: the share of sign patterns whose sum
// is at least as far from 0 as the observed one. Exact (all 2^n patterns) for n <= 20, else
// `draws` random patterns and (1 + hits) / (1 + draws). NaN for no differences.
double permutation_p(std::span<const double> differences, Rng rng, int draws = 100'000);

// The smallest p the test above can give with n pairs: 2 / 2^n (1 for n <= 1).
double smallest_permutation_p(int n);

// Two-sided p of Welch's t test; NaN when a side has fewer than 2 values or neither varies.
double welch_p(std::span<const double> x, std::span<const double> y);

// Holm's step-down adjustment, in the given order; NaN entries stay NaN and do not count.
std::vector<double> holm(std::span<const double> p_values);

// Student's t: P(|T| > |t|), and the t at which that is alpha. Requires df > 0.
double student_p(double t, double df);
double student_critical(double alpha, double df);

}  // namespace tarl::statistics
