// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tarl/statistics/aggregate.h"
#include "tarl/study/results/results.h"

namespace tarl::report {

using statistics::Curve;
using statistics::Interval;

// The four ways in which a run is scored.
enum Metric { kNauc, kArea, kFinal, kPeak };

inline constexpr std::array<Metric, 4> kMetrics{kNauc, kArea, kFinal, kPeak};
const char* metric_name(Metric metric);  // "nAUC", "raw AUC", "final", "peak"

// One metric of one algorithm in one environment.
struct Measure {
  std::vector<double> by_seed;
  double mean = 0;
  double sd = 0;  // population, over seeds
  Interval ci{};  // of the mean, over seeds; unknown with fewer than two
};

struct Cell {
  std::vector<std::int64_t> seeds;
  std::vector<Curve>
      curves;  // by seed, at the environment's steps; only the beginning of untrained runs
  std::array<Measure, 4> measures;
  std::vector<double> final_normalised;  // by seed
  bool untrained = false;                // its runs made no update: shown, but not compared

  bool empty() const { return seeds.empty(); }

  bool counts() const { return !empty() && !untrained; }
};

struct EnvironmentAnalysis {
  std::string name;
  std::string title;
  std::vector<double> timesteps;
  std::size_t first_trained = 0;  // position of the first evaluation that counts
  std::string sharing;            // how runs were aligned to these steps; may be empty
  statistics::Bounds bounds;
  std::string low_source, high_source;  // who set R_min and R_max
  std::vector<Cell> cells;              // by algorithm

  // The part of a curve that scores are computed from.
  Curve counted(const Curve& curve) const;
};

// An aggregate over environments and seeds.
struct Estimate {
  double value = 0;
  Interval ci{};
};

struct Aggregates {
  Estimate iqm, median, mean, optimality_gap;
  std::size_t environments = 0;
};

// The comparison of two algorithms in one environment, on their common seeds.
struct EnvironmentPair {
  std::size_t environment = 0;
  std::vector<double> base, compared;  // nAUC by common seed
  double difference = 0;               // of the means
  Interval ci{};                       // of the paired difference
  double gain_percent = 0;
  double permutation_p = 0, permutation_holm = 0;
  double welch_p = 0, welch_holm = 0;
  std::size_t wins = 0, ties = 0;  // seeds
  double effect = 0;               // difference in standard deviations of the differences
  std::optional<int> seeds_needed;
};

enum class Verdict { kBetter, kWorse, kNotShown, kCannotTell };

enum class PairKind {
  kAlignment,  // an aligned agent and its reference: what a study is about
  kControl,    // an agent and the same with a larger batch
  kVersion,    // one condition under two labels
  kOther,      // anything else the study compares
};

// Holm's correction is applied to each family separately.
enum class Family { kPrimary, kSecondary };

struct Pair {
  std::size_t base = 0, compared = 0;
  PairKind kind = PairKind::kOther;
  Family family = Family::kPrimary;
  std::vector<EnvironmentPair> environments;
  std::size_t fewest_seeds = 0;
  double base_mean = 0, compared_mean = 0;  // nAUC, mean over environments
  Estimate difference;                      // compared - base
  Estimate improvement;                     // probability of
  statistics::Gains gains{};
  Interval ratio_ci{};     // of the ratio of means, percent
  double pooled_p = 0;     // sign flips over all environments and seeds
  double pooled_holm = 0;  // over the pairs of the family
  std::size_t environment_wins = 0, seed_wins = 0, seed_count = 0;
  std::optional<int> seeds_needed;
  Verdict verdict = Verdict::kCannotTell;
};

struct Analysis {
  const study::Results* results = nullptr;
  std::vector<EnvironmentAnalysis> environments;
  std::vector<Aggregates> nauc, final_score;  // by algorithm
  std::vector<Pair> pairs;                    // by kind
  std::size_t fewest_seeds = 0, most_seeds = 0;
  std::size_t tabulated_runs = 0;
  std::size_t scored_environments = 0;  // in which some algorithm has scores for its aggregates
  int resamples = 0;                    // of every bootstrap interval in the tables
  double level = 0;                     // confidence level of these intervals

  const study::Algorithm& algorithm(std::size_t at) const { return results->algorithms[at]; }

  const std::string& label(std::size_t at) const { return results->algorithms[at].label; }
};

// R_min and R_max of an environment over the given algorithms, and who set R_max.
statistics::Bounds bounds_of(const study::Results& results, std::size_t environment,
                             const std::vector<std::size_t>& algorithms, std::string* high_source);

// Every number of the report, from one fixed stream of random numbers: the same results give the
// same report.
Analysis analyse(const study::Results& results, const statistics::BootstrapOptions& options = {});

// An algorithm with runs in only some of the scored environments: its averages are over those and
// not comparable with others.
bool is_partial(const Analysis& analysis, std::size_t algorithm);

// Indices of the algorithms that have a run in the tables.
std::vector<std::size_t> present_algorithms(const Analysis& analysis);

// [environment][seed] for environments where the algorithm has runs and scores can be normalised.
statistics::TaskScores task_scores(const Analysis& analysis, std::size_t algorithm,
                                   bool final_scores);

// Adds the pairs; part of analyse(). The primary family is what the study is about: aligned agents
// and their references, or every pair if there are none. The rest is the secondary one.
void compare_pairs(Analysis& analysis, const statistics::BootstrapOptions& options);

}  // namespace tarl::report
