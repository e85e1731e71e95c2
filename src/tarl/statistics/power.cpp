// SPDX-License-Identifier: MIT
#include "tarl/statistics/power.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/statistics/hypothesis_tests.h"

namespace tarl::statistics {

namespace {

// A distribution as points with weights that sum to 1.
struct Node {
  double at, weight;
};

template <class LogDensity>
std::vector<Node> midpoints(double low, double high, int count, LogDensity log_density) {
  std::vector<Node> nodes;
  double total = 0;
  for (int i = 0; i < count; ++i) {
    const double at = low + (high - low) * (i + 0.5) / count;
    nodes.push_back({at, std::exp(log_density(at))});
    total += nodes.back().weight;
  }
  for (Node& node : nodes) node.weight /= total;
  return nodes;
}

// Estimated over true standard deviation with df degrees of freedom.
std::vector<Node> sd_ratio(double df) {
  const double centre = std::sqrt(df);
  std::vector<Node> nodes = midpoints(std::max(0.0, centre - 7), centre + 7, 160, [df](double chi) {
    return (df - 1) * std::log(chi) - chi * chi / 2 + df / 2 * std::log(std::exp(1.0) / df);
  });
  for (Node& node : nodes) node.at /= centre;
  return nodes;
}

double normal_above(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

// A t test as seen by its power: its critical values, how the estimated standard deviation
// varies around the true one, and how far one unit of effect moves the statistic.
struct TestShape {
  std::vector<Node> criticals;
  std::vector<Node> ratios;
  double shift_per_effect;

  // P(|shift + Z| > critical * ratio).
  double power(double effect) const {
    const double shift = effect * shift_per_effect;
    double chance = 0;
    for (const Node& critical : criticals) {
      for (const Node& ratio : ratios) {
        const double border = critical.at * ratio.at;
        chance += critical.weight * ratio.weight *
                  (normal_above(border - shift) + normal_above(border + shift));
      }
    }
    return chance;
  }

  double smallest_effect() const {
    double low = 0, high = 1;
    while (power(high) < kPower) high *= 2;
    while (high - low > 1e-4 * high) {
      const double middle = (low + high) / 2;
      (power(middle) < kPower ? low : high) = middle;
    }
    return (low + high) / 2;
  }
};

TestShape paired_test(int n) {
  require(n >= 2, "power needs two pairs");
  const double df = n - 1;
  return {{{student_critical(kAlpha, df), 1.0}}, sd_ratio(df), std::sqrt(n)};
}

// With equal true variances the total variance and each side's share of it are independent;
// Welch's degrees of freedom depend on the share alone.
TestShape welch_test(int n) {
  require(n >= 2, "power needs two runs a side");
  std::vector<Node> criticals = midpoints(0, std::numbers::pi / 4, 48, [n](double angle) {
    return (n - 2) * std::log(2 * std::sin(angle) * std::cos(angle));
  });
  for (Node& node : criticals) {
    const double share = std::sin(node.at) * std::sin(node.at);
    const double df = (n - 1) / (share * share + (1 - share) * (1 - share));
    node.at = student_critical(kAlpha, df);
  }
  return {std::move(criticals), sd_ratio(2.0 * (n - 1)), std::sqrt(n / 2.0)};
}

// Simulated; the unit test repeats it.
struct CoverageRow {
  int n;
  Coverage coverage;
};

constexpr std::array<CoverageRow, 5> kCoverage{{{3, {0.756, 0.63}},
                                                {5, {0.836, 0.71}},
                                                {10, {0.896, 0.79}},
                                                {20, {0.924, 0.85}},
                                                {30, {0.936, 0.87}}}};

}  // namespace

double paired_power(double effect, int n) {
  return paired_test(n).power(effect);
}

double welch_power(double effect, int n) {
  return welch_test(n).power(effect);
}

double smallest_effect_paired(int n) {
  return paired_test(n).smallest_effect();
}

double smallest_effect_welch(int n) {
  return welch_test(n).smallest_effect();
}

std::optional<int> seeds_needed(double effect, int limit) {
  const double size = std::fabs(effect);
  const auto enough = [size](int n) {
    return smallest_permutation_p(n) < kAlpha && paired_power(size, n) >= kPower;
  };
  if (!(size > 0) || !enough(limit)) return std::nullopt;
  int low = 1, high = limit;  // not enough, enough
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

Coverage bootstrap_coverage(int n) {
  if (n <= kCoverage.front().n) return kCoverage.front().coverage;
  if (n >= kCoverage.back().n) return kCoverage.back().coverage;
  const auto above = std::find_if(kCoverage.begin(), kCoverage.end(),
                                  [n](const CoverageRow& row) { return row.n >= n; });
  const auto below = above - 1;
  const double weight = (1.0 / n - 1.0 / below->n) / (1.0 / above->n - 1.0 / below->n);
  const auto between = [weight](double a, double b) { return a + weight * (b - a); };
  return {between(below->coverage.normal, above->coverage.normal),
          between(below->coverage.log_normal, above->coverage.log_normal)};
}

std::string what_seeds_can_show(int n) {
  std::ostringstream text;
  text.precision(2);
  if (n < 1) return "No complete run: nothing can be shown yet.";
  if (n == 1) {
    return "1 seed: within a game no interval and no test is possible; a difference between two "
           "single "
           "runs may be chance alone.";
  }
  const double least_p = smallest_permutation_p(n);
  text << n << " seeds: ";
  if (least_p >= kAlpha) {
    text << "even if one side wins every seed of a game, the exact two-sided p is " << least_p
         << ", so no single game can be significant at 0.05 (6 seeds can); ";
  } else {
    text << "the smallest exact two-sided p of one game is " << least_p << "; ";
  }
  const Coverage coverage = bootstrap_coverage(n);
  text << "a paired difference is found with 80 % power when it exceeds "
       << smallest_effect_paired(n)
       << " standard deviations (unpaired: " << smallest_effect_welch(n)
       << "); a nominal 95 % bootstrap interval of one game's mean "
       << "covers about " << std::lround(100 * coverage.normal) << " %"
       << (n < kCoverage.front().n ? " at most." : ".");
  return text.str();
}

}  // namespace tarl::statistics
