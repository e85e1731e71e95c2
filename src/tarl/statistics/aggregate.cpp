// SPDX-License-Identifier: MIT
#include "tarl/statistics/aggregate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tarl/core/error.h"

namespace tarl::statistics {

namespace {

std::vector<double> pooled(const TaskScores& scores) {
  std::vector<double> all;
  for (const auto& task : scores) all.insert(all.end(), task.begin(), task.end());
  return all;
}

std::vector<double> task_means(const TaskScores& scores) {
  std::vector<double> means;
  for (const auto& task : scores) means.push_back(mean(task));
  return means;
}

// Drawn positions, [task][run]; reused between resamples.
using Draw = std::vector<std::vector<std::uint32_t>>;

template <class Task>
Draw empty_draw(const std::vector<Task>& tasks) {
  Draw draw;
  for (const auto& task : tasks) draw.emplace_back(task.size());
  return draw;
}

void redraw(Draw& draw, Rng& rng) {
  for (auto& task : draw) {
    const auto runs = static_cast<std::uint32_t>(task.size());
    for (std::uint32_t& position : task) position = rng.below(runs);
  }
}

void gather(const TaskScores& from, const Draw& draw, TaskScores& to) {
  for (std::size_t task = 0; task < from.size(); ++task) {
    for (std::size_t run = 0; run < from[task].size(); ++run) {
      to[task][run] = from[task][draw[task][run]];
    }
  }
}

template <class Task>
bool has_spread(const std::vector<Task>& tasks) {
  return !tasks.empty() &&
         std::all_of(tasks.begin(), tasks.end(), [](const Task& t) { return t.size() >= 2; });
}

constexpr Interval kUnknown{std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::quiet_NaN()};

// Value at position q (n - 1) of the unsorted values, which it reorders.
double quantile_in_place(std::vector<double>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(position));
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<std::size_t>(below)];
  if (position == static_cast<double>(below)) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (position - static_cast<double>(below)) * (high - low);
}

Interval percentile_interval(std::vector<double>& values, double level) {
  for (const double value : values) {
    if (std::isnan(value)) return kUnknown;
  }
  const double tail = (1 - level) / 2;
  return {quantile_in_place(values, tail), quantile_in_place(values, 1 - tail)};
}

// The interval of a statistic that `next` computes on a fresh resample.
template <class Next>
Interval interval_of(const BootstrapOptions& options, Next next) {
  std::vector<double> values(static_cast<std::size_t>(options.resamples));
  for (double& value : values) value = next();
  return percentile_interval(values, options.level);
}

}  // namespace

double aggregate_iqm(const TaskScores& scores) {
  return interquartile_mean(pooled(scores));
}

double aggregate_mean(const TaskScores& scores) {
  return mean(task_means(scores));
}

double aggregate_median(const TaskScores& scores) {
  return median(task_means(scores));
}

double aggregate_optimality_gap(const TaskScores& scores) {
  std::vector<double> capped = pooled(scores);
  for (double& value : capped) value = std::min(value, 1.0);
  return 1.0 - mean(capped);
}

double probability_of_improvement(const TaskScores& x, const TaskScores& y) {
  require(x.size() == y.size(), "probability of improvement over different tasks");
  std::vector<double> by_task;
  for (std::size_t task = 0; task < x.size(); ++task) {
    std::vector<double> others = y[task];
    std::erase_if(others, [](double b) { return std::isnan(b); });  // cannot be exceeded
    std::sort(others.begin(), others.end());
    double wins = 0;
    for (const double a : x[task]) {
      if (std::isnan(a)) continue;
      const auto [first, last] = std::equal_range(others.begin(), others.end(), a);
      wins += static_cast<double>(first - others.begin()) + 0.5 * static_cast<double>(last - first);
    }
    by_task.push_back(wins / static_cast<double>(x[task].size() * y[task].size()));
  }
  return mean(by_task);
}

std::vector<double> performance_profile(const TaskScores& scores,
                                        std::span<const double> thresholds) {
  std::vector<double> all = pooled(scores);
  std::sort(all.begin(), all.end());
  std::vector<double> share;
  for (const double threshold : thresholds) {
    const auto above = all.end() - std::upper_bound(all.begin(), all.end(), threshold);
    share.push_back(static_cast<double>(above) / static_cast<double>(all.size()));
  }
  return share;
}

Interval bootstrap_interval(const TaskScores& scores, const Statistic& statistic, Rng rng,
                            const BootstrapOptions& options) {
  if (!has_spread(scores)) return kUnknown;
  Draw draw = empty_draw(scores);
  TaskScores sample = scores;
  return interval_of(options, [&] {
    redraw(draw, rng);
    gather(scores, draw, sample);
    return statistic(sample);
  });
}

Interval bootstrap_interval(const TaskScores& x, const TaskScores& y,
                            const PairStatistic& statistic, Rng rng,
                            const BootstrapOptions& options) {
  if (!has_spread(x) || !has_spread(y)) return kUnknown;
  Draw draw_x = empty_draw(x), draw_y = empty_draw(y);
  TaskScores sample_x = x, sample_y = y;
  return interval_of(options, [&] {
    redraw(draw_x, rng);
    redraw(draw_y, rng);
    gather(x, draw_x, sample_x);
    gather(y, draw_y, sample_y);
    return statistic(sample_x, sample_y);
  });
}

Interval bootstrap_paired_interval(const TaskScores& x, const TaskScores& y,
                                   const PairStatistic& statistic, Rng rng,
                                   const BootstrapOptions& options) {
  require(x.size() == y.size(), "paired tasks differ");
  for (std::size_t task = 0; task < x.size(); ++task) {
    require(x[task].size() == y[task].size(), "paired runs differ");
  }
  if (!has_spread(x)) return kUnknown;
  Draw draw = empty_draw(x);
  TaskScores sample_x = x, sample_y = y;
  return interval_of(options, [&] {
    redraw(draw, rng);
    gather(x, draw, sample_x);
    gather(y, draw, sample_y);
    return statistic(sample_x, sample_y);
  });
}

std::vector<Interval> bootstrap_curve(const std::vector<std::vector<Curve>>& tasks,
                                      const Statistic& statistic, Rng rng,
                                      const BootstrapOptions& options) {
  const std::size_t length = tasks.empty() || tasks[0].empty() ? 0 : tasks[0][0].size();
  if (!has_spread(tasks)) return std::vector<Interval>(length, kUnknown);
  std::vector<Draw> draws(static_cast<std::size_t>(options.resamples), empty_draw(tasks));
  for (Draw& draw : draws) redraw(draw, rng);

  TaskScores at_time;
  for (const auto& runs : tasks) at_time.emplace_back(runs.size());
  TaskScores sample = at_time;
  std::vector<Interval> band;
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      for (std::size_t run = 0; run < tasks[task].size(); ++run) {
        at_time[task][run] = tasks[task][run].at(t);
      }
    }
    auto draw = draws.cbegin();
    band.push_back(interval_of(options, [&] {
      gather(at_time, *draw++, sample);
      return statistic(sample);
    }));
  }
  return band;
}

}  // namespace tarl::statistics
