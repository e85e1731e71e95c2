// SPDX-License-Identifier: MIT
#include "tarl/statistics/hypothesis_tests.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "tarl/core/error.h"
#include "tarl/statistics/descriptive.h"

namespace tarl::statistics {

namespace {

constexpr double kTiny = 1e-300;

constexpr std::size_t kExactPairs = 20;

// Sums that are equal in exact arithmetic must count as equal after rounding.
double threshold_of(std::span<const double> differences) {
  double sum = 0, scale = 0;
  for (const double difference : differences) {
    sum += difference;
    scale += std::fabs(difference);
  }
  return std::fabs(sum) - 1e-12 * scale;
}

double exact_permutation_p(std::span<const double> differences) {
  const double threshold = threshold_of(differences);
  const std::uint32_t patterns = 1U << differences.size();
  std::uint32_t hits = 0;
  double sum = std::accumulate(differences.begin(), differences.end(), 0.0);
  std::vector<double> sign(differences.size(), 1.0);
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    hits += std::fabs(sum) >= threshold ? 1 : 0;
    // Gray code: the next pattern flips one sign.
    const auto flip = static_cast<std::size_t>(std::countr_zero(pattern + 1));
    if (flip >= differences.size()) break;
    sign[flip] = -sign[flip];
    sum += 2 * sign[flip] * differences[flip];
  }
  return static_cast<double>(hits) / static_cast<double>(patterns);
}

double sampled_permutation_p(std::span<const double> differences, Rng rng, int draws) {
  const double threshold = threshold_of(differences);
  int hits = 0;
  for (int draw = 0; draw < draws; ++draw) {
    double sum = 0;
    std::uint64_t signs = 0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      if (i % 64 == 0) signs = rng.bits();
      sum += (signs & 1) != 0 ? differences[i] : -differences[i];
      signs >>= 1;
    }
    hits += std::fabs(sum) >= threshold ? 1 : 0;
  }
  return (1.0 + hits) / (1.0 + draws);
}

// Continued fraction of the incomplete beta function (modified Lentz); converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int k = 1; k <= 500; ++k) {
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      step = d * c;
      result *= step;
    }
    if (std::fabs(step - 1) < 1e-16) break;
  }
  return result;
}

// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double permutation_p(std::span<const double> differences, Rng rng, int draws) {
  if (differences.empty()) return kNaN;
  if (differences.size() <= kExactPairs) return exact_permutation_p(differences);
  return sampled_permutation_p(differences, rng, draws);
}

double smallest_permutation_p(int n) {
  return n <= 1 ? 1.0 : std::ldexp(2.0, -n);
}

double welch_p(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2 || y.size() < 2) return kNaN;
  const auto count_x = static_cast<double>(x.size()), count_y = static_cast<double>(y.size());
  const double error_x = sample_sd(x) * sample_sd(x) / count_x;
  const double error_y = sample_sd(y) * sample_sd(y) / count_y;
  const double error = error_x + error_y;
  if (!(error > 0)) return kNaN;
  const double df =
      error * error / (error_x * error_x / (count_x - 1) + error_y * error_y / (count_y - 1));
  return student_p((mean(x) - mean(y)) / std::sqrt(error), df);
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!std::isnan(p_values[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.begin(), p_values.end());
  double floor = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double scaled = p_values[order[rank]] * static_cast<double>(order.size() - rank);
    floor = std::max(floor, std::min(1.0, scaled));
    adjusted[order[rank]] = floor;
  }
  return adjusted;
}

double student_p(double t, double df) {
  require(df > 0, "Student's t without degrees of freedom");
  if (std::isnan(t)) return kNaN;
  return incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

double student_critical(double alpha, double df) {
  double low = 0, high = 1;
  while (student_p(high, df) > alpha) high *= 2;
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_p(middle, df) > alpha ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace tarl::statistics
