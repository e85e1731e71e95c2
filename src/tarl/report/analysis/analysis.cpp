// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr std::array<const char*, 4> kMetricNames{"nAUC", "raw AUC", "final", "peak"};

using statistics::Bounds;
using statistics::TaskScores;
using study::Results;

Measure measure(std::vector<double> by_seed, Rng rng, const statistics::BootstrapOptions& options) {
  Measure out;
  out.mean = statistics::mean(by_seed);
  out.sd = statistics::population_sd(by_seed);
  out.ci = statistics::bootstrap_interval({by_seed}, statistics::aggregate_mean, rng, options);
  out.by_seed = std::move(by_seed);
  return out;
}

// The evaluations that a run is scored by: all of them if it made no update.
std::array<double, 4> scores_of(const study::Run& run, const EnvironmentAnalysis& environment,
                                bool untrained) {
  const Curve counted = untrained ? run.mean_returns : environment.counted(run.curve);
  return {untrained ? std::numeric_limits<double>::quiet_NaN()
                    : statistics::nauc(counted, environment.bounds),
          statistics::area(counted), statistics::final_score(counted), statistics::peak(counted)};
}

Cell analyse_cell(const Results& results, const std::vector<std::size_t>& runs,
                  const EnvironmentAnalysis& environment, const Rng& rng,
                  const statistics::BootstrapOptions& options) {
  Cell cell;
  cell.untrained = !runs.empty() && !results.runs[runs.front()].trained();
  std::array<std::vector<double>, 4> values;
  for (const std::size_t at : runs) {
    const study::Run& run = results.runs[at];
    cell.seeds.push_back(run.seed);
    cell.curves.push_back(run.curve);
    const std::array<double, 4> scores = scores_of(run, environment, cell.untrained);
    for (const Metric metric : kMetrics) values[metric].push_back(scores[metric]);
    const Curve counted = environment.counted(run.curve);
    cell.final_normalised.push_back(
        statistics::final_score(statistics::normalise(counted, environment.bounds)));
  }
  if (cell.untrained) {  // figures need curves of equal length
    std::size_t shortest = cell.curves.front().size();
    for (const Curve& curve : cell.curves) shortest = std::min(shortest, curve.size());
    for (Curve& curve : cell.curves) curve.resize(shortest);
  }
  for (const Metric metric : kMetrics) {
    cell.measures[metric] = measure(values[metric], rng.fork(metric_name(metric)), options);
  }
  return cell;
}

EnvironmentAnalysis analyse_environment(const Results& results, std::size_t at, const Rng& rng,
                                        const statistics::BootstrapOptions& options) {
  const study::Environment& environment = results.environments[at];
  EnvironmentAnalysis out;
  out.name = environment.name;
  out.title = environment_title(environment.name);
  out.timesteps.assign(environment.timesteps.begin(), environment.timesteps.end());
  out.first_trained = environment.first_trained;
  out.sharing = environment.sharing;
  out.low_source = environment.random_score.source;
  std::vector<std::size_t> all(results.algorithms.size());
  std::iota(all.begin(), all.end(), 0U);
  out.bounds = bounds_of(results, at, all, &out.high_source);
  for (std::size_t a = 0; a < results.algorithms.size(); ++a) {
    const Rng stream = rng.fork(environment.name + "/" + results.algorithms[a].label);
    out.cells.push_back(analyse_cell(results, results.cell(at, a), out, stream, options));
  }
  return out;
}

Aggregates aggregate(const TaskScores& scores, const Rng& rng,
                     const statistics::BootstrapOptions& options) {
  Aggregates out;
  out.environments = scores.size();
  const auto estimate = [&](const char* name, const statistics::Statistic& statistic) {
    return Estimate{scores.empty() ? std::numeric_limits<double>::quiet_NaN() : statistic(scores),
                    statistics::bootstrap_interval(scores, statistic, rng.fork(name), options)};
  };
  out.iqm = estimate("iqm", statistics::aggregate_iqm);
  out.median = estimate("median", statistics::aggregate_median);
  out.mean = estimate("mean", statistics::aggregate_mean);
  out.optimality_gap = estimate("gap", statistics::aggregate_optimality_gap);
  return out;
}

void count_seeds(Analysis& analysis) {
  analysis.fewest_seeds = std::numeric_limits<std::size_t>::max();
  for (const EnvironmentAnalysis& environment : analysis.environments) {
    for (const Cell& cell : environment.cells) {
      analysis.tabulated_runs += cell.seeds.size();
      if (!cell.counts()) continue;
      analysis.fewest_seeds = std::min(analysis.fewest_seeds, cell.seeds.size());
      analysis.most_seeds = std::max(analysis.most_seeds, cell.seeds.size());
    }
  }
  if (analysis.most_seeds == 0) analysis.fewest_seeds = 0;
}

bool enters_aggregates(const EnvironmentAnalysis& environment, std::size_t algorithm) {
  return environment.cells[algorithm].counts() && environment.bounds.usable();
}

std::size_t count_scored(const Analysis& analysis) {
  const auto scored = [&](const EnvironmentAnalysis& environment) {
    for (std::size_t a = 0; a < environment.cells.size(); ++a) {
      if (enters_aggregates(environment, a)) return true;
    }
    return false;
  };
  const auto& all = analysis.environments;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), scored));
}

}  // namespace

const char* metric_name(Metric metric) {
  return kMetricNames[metric];
}

Curve EnvironmentAnalysis::counted(const Curve& curve) const {
  const std::size_t from = std::min(first_trained, curve.size());
  return {curve.begin() + static_cast<std::ptrdiff_t>(from), curve.end()};
}

statistics::Bounds bounds_of(const Results& results, std::size_t environment,
                             const std::vector<std::size_t>& algorithms, std::string* high_source) {
  Bounds bounds{results.environments[environment].random_score.mean,
                -std::numeric_limits<double>::infinity()};
  for (const std::size_t a : algorithms) {
    for (const std::size_t at : results.cell(environment, a)) {
      const study::Run& run = results.runs[at];
      for (std::size_t t = 0; t < run.curve.size(); ++t) {
        const std::int64_t step = results.environments[environment].timesteps[t];
        if (!run.trained_at(step) || !(run.curve[t] > bounds.high)) continue;
        bounds.high = run.curve[t];
        if (high_source == nullptr) continue;
        *high_source = results.algorithms[a].label + ", seed " + std::to_string(run.seed) +
                       ", step " + std::to_string(step);
      }
    }
  }
  if (!std::isfinite(bounds.high)) bounds.high = bounds.low;
  return bounds;
}

bool is_partial(const Analysis& analysis, std::size_t algorithm) {
  const std::size_t mine = analysis.nauc[algorithm].environments;
  return mine > 0 && mine < analysis.scored_environments;
}

std::vector<std::size_t> present_algorithms(const Analysis& analysis) {
  std::vector<std::size_t> present;
  for (std::size_t a = 0; a < analysis.results->algorithms.size(); ++a) {
    for (const EnvironmentAnalysis& environment : analysis.environments) {
      if (environment.cells[a].empty()) continue;
      present.push_back(a);
      break;
    }
  }
  return present;
}

TaskScores task_scores(const Analysis& analysis, std::size_t algorithm, bool final_scores) {
  TaskScores scores;
  for (const EnvironmentAnalysis& environment : analysis.environments) {
    const Cell& cell = environment.cells[algorithm];
    if (!enters_aggregates(environment, algorithm)) continue;
    scores.push_back(final_scores ? cell.final_normalised : cell.measures[kNauc].by_seed);
  }
  return scores;
}

Analysis analyse(const Results& results, const statistics::BootstrapOptions& options) {
  Analysis analysis;
  analysis.resamples = options.resamples;
  analysis.level = options.level;
  analysis.results = &results;
  const Rng rng = seeded(0).fork("report");
  for (std::size_t at = 0; at < results.environments.size(); ++at) {
    analysis.environments.push_back(analyse_environment(results, at, rng.fork("cells"), options));
  }
  count_seeds(analysis);
  analysis.scored_environments = count_scored(analysis);
  for (std::size_t a = 0; a < results.algorithms.size(); ++a) {
    const Rng stream = rng.fork("aggregates").fork(results.algorithms[a].label);
    analysis.nauc.push_back(
        aggregate(task_scores(analysis, a, false), stream.fork("nauc"), options));
    analysis.final_score.push_back(
        aggregate(task_scores(analysis, a, true), stream.fork("final"), options));
  }
  compare_pairs(analysis, options);
  return analysis;
}

}  // namespace tarl::report
