// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/statistics/descriptive.h"

namespace tarl::statistics {

// Scores of one algorithm, [task][run]. Tasks may have different numbers of runs.
using TaskScores = std::vector<std::vector<double>>;

// Aggregates over tasks and runs as in rliable (Agarwal et al. 2021).
double aggregate_iqm(const TaskScores& scores);             // over all runs of all tasks
double aggregate_mean(const TaskScores& scores);            // mean of the tasks' means
double aggregate_median(const TaskScores& scores);          // median of the tasks' means
double aggregate_optimality_gap(const TaskScores& scores);  // 1 - mean of min(score, 1)

// P(x > y) + P(x = y) / 2 over all pairs of runs of a task, averaged over tasks.
// Requires the same number of tasks, each with a run.
double probability_of_improvement(const TaskScores& x, const TaskScores& y);

// Share of runs whose score exceeds each threshold.
std::vector<double> performance_profile(const TaskScores& scores,
                                        std::span<const double> thresholds);

struct Interval {
  double low, high;

  bool known() const { return low <= high; }  // false for NaN bounds

  bool excludes(double value) const { return known() && (value < low || value > high); }
};

struct BootstrapOptions {
  int resamples = 10'000;
  double level = 0.95;
};

using Statistic = std::function<double(const TaskScores&)>;
using PairStatistic = std::function<double(const TaskScores&, const TaskScores&)>;

// Percentile intervals over seeds: runs are drawn with replacement within each task. Episodes
// are never resampled: they are not independent of their run. A task with a single run says
// nothing about spread; its bounds are NaN.
Interval bootstrap_interval(const TaskScores& scores, const Statistic& statistic, Rng rng,
                            const BootstrapOptions& options = {});

// x and y drawn independently of each other.
Interval bootstrap_interval(const TaskScores& x, const TaskScores& y,
                            const PairStatistic& statistic, Rng rng,
                            const BootstrapOptions& options = {});

// x and y drawn with the same indices: run k of a task in x and in y have the same seed.
Interval bootstrap_paired_interval(const TaskScores& x, const TaskScores& y,
                                   const PairStatistic& statistic, Rng rng,
                                   const BootstrapOptions& options = {});

// Pointwise intervals of a statistic of the runs' k-th scores, one draw of seeds for the whole
// curve; `tasks[task][run]` are curves of equal length.
std::vector<Interval> bootstrap_curve(const std::vector<std::vector<Curve>>& tasks,
                                      const Statistic& statistic, Rng rng,
                                      const BootstrapOptions& options = {});

}  // namespace tarl::statistics
