// SPDX-License-Identifier: MIT
#include "tarl/statistics/descriptive.h"

#include <algorithm>
#include <cmath>

#include "tarl/core/error.h"

namespace tarl::statistics {

namespace {

double sum_of_squares(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(std::span<const double> values, double q) {
  if (values.empty()) return kNaN;
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double weight = position - static_cast<double>(below);
  return values[below] + weight * (values[above] - values[below]);
}

// Applies a statistic to the k-th scores of all runs, for every k.
template <class Statistic>
Curve across(std::span<const Curve> runs, Statistic statistic) {
  if (runs.empty()) return {};
  Curve out(runs.front().size());
  std::vector<double> column(runs.size());
  for (std::size_t t = 0; t < out.size(); ++t) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      require(runs[run].size() == out.size(), "curves of different length");
      column[run] = runs[run][t];
    }
    out[t] = statistic(std::span<const double>(column));
  }
  return out;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return kNaN;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double population_sd(std::span<const double> values) {
  if (values.empty()) return kNaN;
  return std::sqrt(sum_of_squares(values) / static_cast<double>(values.size()));
}

double sample_sd(std::span<const double> values) {
  if (values.size() < 2) return kNaN;
  return std::sqrt(sum_of_squares(values) / static_cast<double>(values.size() - 1));
}

double quantile(std::span<const double> values, double q) {
  require(q >= 0 && q <= 1, "quantile outside [0, 1]");
  return quantile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double interquartile_mean(std::span<const double> values) {
  std::vector<double> all(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(all.size() / 4);
  const auto first = all.begin() + cut, last = all.end() - cut;
  // Only the middle is summed, and sorted so that the sum is always the same.
  std::nth_element(all.begin(), first, all.end());
  std::nth_element(first, last, all.end());
  std::sort(first, last);
  return mean(std::span(first, last));
}

Summary summarise(std::span<const double> values) {
  return {mean(values), population_sd(values), median(values)};
}

Curve trailing_mean(std::span<const double> scores, int window) {
  require(window >= 1, "smoothing window below 1");
  Curve out(scores.size());
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const std::size_t count = std::min(t + 1, static_cast<std::size_t>(window));
    out[t] = mean(scores.subspan(t + 1 - count, count));
  }
  return out;
}

Curve running_maximum(std::span<const double> scores) {
  Curve out(scores.begin(), scores.end());
  for (std::size_t t = 1; t < out.size(); ++t) out[t] = std::max(out[t], out[t - 1]);
  return out;
}

Curve normalise(std::span<const double> scores, Bounds bounds) {
  Curve out(scores.size(), 0.0);
  if (!bounds.usable()) return out;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    out[t] = (scores[t] - bounds.low) / (bounds.high - bounds.low);
  }
  return out;
}

double peak(std::span<const double> scores) {
  return scores.empty() ? kNaN : *std::max_element(scores.begin(), scores.end());
}

double area(std::span<const double> scores) {
  return mean(scores);
}

double nauc(std::span<const double> scores, Bounds bounds) {
  Curve clipped = normalise(scores, bounds);
  for (double& value : clipped) value = std::max(0.0, value);
  return mean(clipped);
}

double final_score(std::span<const double> scores, int last) {
  return mean(scores.last(std::min(scores.size(), static_cast<std::size_t>(last))));
}

double gain_percent(double base, double compared, double denominator) {
  return 100.0 * (compared - base) / denominator;
}

Gains gains(std::span<const double> base, std::span<const double> compared) {
  require(base.size() == compared.size(), "gains of different environments");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i] != 0) ratios.push_back(gain_percent(base[i], compared[i], base[i]));
  }
  const double before = mean(base);
  return {mean(ratios), gain_percent(before, mean(compared), before)};
}

Curve mean_curve(std::span<const Curve> runs) {
  return across(runs, mean);
}

Curve quantile_curve(std::span<const Curve> runs, double q) {
  return across(runs, [q](std::span<const double> column) { return quantile(column, q); });
}

Curve interquartile_mean_curve(std::span<const Curve> runs) {
  return across(runs, interquartile_mean);
}

}  // namespace tarl::statistics
