// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tarl::statistics {

// Statistics of evaluations, in double precision. An undefined value is NaN (the mean of nothing, a
// gain over zero); it is passed on, never hidden.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The evaluations of one run, in order of training: each is the mean return of its episodes, which
// the functions below call a score, as rliable does.
using Curve = std::vector<double>;

double mean(std::span<const double> values);
double population_sd(std::span<const double> values);  // divides by n: the paper's "+-"
double sample_sd(std::span<const double> values);      // divides by n - 1; NaN for n < 2

// Linear interpolation between order statistics, at position q (n - 1). Requires 0 <= q <= 1.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

// Mean of the values left after cutting floor(n / 4) at each end.
double interquartile_mean(std::span<const double> values);

struct Summary {
  double mean, sd, median;  // sd: population
};

Summary summarise(std::span<const double> values);

// Each value averaged with those before it, at most `window` in all (shorter at the start).
inline constexpr int kSmoothingWindow = 10;
Curve trailing_mean(std::span<const double> scores, int window = kSmoothingWindow);
Curve running_maximum(std::span<const double> scores);

// The reference points of normalisation: the random policy and the best score of the table.
struct Bounds {
  double low = 0;   // R_min
  double high = 0;  // R_max

  bool usable() const { return high > low; }
};

// (score - low) / (high - low), not clipped; 0 everywhere when high <= low.
Curve normalise(std::span<const double> scores, Bounds bounds);

double peak(std::span<const double> scores);                 // largest score
double area(std::span<const double> scores);                 // raw AUC: mean over evaluations
double nauc(std::span<const double> scores, Bounds bounds);  // mean of max(0, normalised)
double final_score(std::span<const double> scores, int last = 10);  // mean of the last ones

// 100 (compared - base) / denominator; NaN when the denominator is 0 and the difference too.
double gain_percent(double base, double compared, double denominator);

// The same improvement in two forms, which differ where the references do.
struct Gains {
  double mean_of_ratios;  // mean over environments of the gain in percent
  double ratio_of_means;  // gain of the mean over environments, in percent
};

// Environments whose base is 0 have no ratio and are left out of mean_of_ratios.
Gains gains(std::span<const double> base, std::span<const double> compared);

// Point by point over runs of equal length.
Curve mean_curve(std::span<const Curve> runs);
Curve quantile_curve(std::span<const Curve> runs, double q);
Curve interquartile_mean_curve(std::span<const Curve> runs);

}  // namespace tarl::statistics
