// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tarl/report/analysis/verdict.h"
#include "tarl/report/figures/figures.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr int kCurvePoints = 50;

// A curve at a fraction of its environment's steps, interpolated linearly between evaluations.
double value_at(const Curve& curve, const std::vector<double>& steps, double share) {
  const double step = share * steps.back();
  const auto after = std::lower_bound(steps.begin(), steps.end(), step);
  const auto at = static_cast<std::size_t>(after - steps.begin());
  if (at == 0) return curve.front();
  if (at >= curve.size()) return curve.back();
  const double part = (step - steps[at - 1]) / (steps[at] - steps[at - 1]);
  return curve[at - 1] + part * (curve[at] - curve[at - 1]);
}

// The fractions of training, of kCurvePoints evenly spaced ones, at which every environment has
// been evaluated.
std::vector<double> shares_of_training(const Analysis& numbers) {
  double first = 0;
  for (const EnvironmentAnalysis& environment : numbers.environments) {
    if (environment.timesteps.empty() || !environment.bounds.usable()) continue;
    first = std::max(first, environment.timesteps.front() / environment.timesteps.back());
  }
  std::vector<double> shares;
  for (int k = 1; k <= kCurvePoints; ++k) {
    const double share = static_cast<double>(k) / kCurvePoints;
    if (share >= first) shares.push_back(share);
  }
  return shares;
}

// Smoothed normalised scores, [environment][seed], at fractions of training.
std::vector<std::vector<Curve>> normalised_curves(const Analysis& numbers, std::size_t algorithm,
                                                  const std::vector<double>& shares) {
  std::vector<std::vector<Curve>> tasks;
  for (const EnvironmentAnalysis& environment : numbers.environments) {
    const Cell& cell = environment.cells[algorithm];
    if (!cell.counts() || !environment.bounds.usable()) continue;
    tasks.emplace_back();
    for (const Curve& curve : cell.curves) {
      const Curve smooth =
          statistics::trailing_mean(statistics::normalise(curve, environment.bounds));
      Curve sampled;
      for (const double share : shares) {
        sampled.push_back(value_at(smooth, environment.timesteps, share));
      }
      tasks.back().push_back(std::move(sampled));
    }
  }
  return tasks;
}

Curve iqm_over_tasks(const std::vector<std::vector<Curve>>& tasks) {
  std::vector<Curve> all;
  for (const auto& runs : tasks) all.insert(all.end(), runs.begin(), runs.end());
  return statistics::interquartile_mean_curve(all);
}

void set_band(Series& series, const std::vector<Interval>& band) {
  if (band.empty() || !band.front().known()) return;
  for (const Interval& interval : band) {
    series.low.push_back(interval.low);
    series.high.push_back(interval.high);
  }
}

Bar interval_row(const std::string& label, const std::string& style, const Estimate& estimate,
                 int digits) {
  Bar row{label, style, estimate.value, std::nullopt, fixed(estimate.value, digits)};
  if (estimate.ci.known()) row.range = {estimate.ci.low, estimate.ci.high};
  return row;
}

IntervalPanel aggregate_panel(const Scene& scene, const std::vector<Aggregates>& aggregates,
                              const std::string& title, const std::string& unit,
                              Estimate Aggregates::*which) {
  IntervalPanel panel;
  panel.title = title;
  panel.x_label = unit;
  for (const std::size_t a : scene.algorithms) {
    if (aggregates[a].environments == 0) continue;
    const Estimate& estimate = aggregates[a].*which;
    panel.rows.push_back(interval_row(scene.numbers().label(a), scene.styles[a], estimate, 3));
  }
  return panel;
}

Drawing draw_efficiency(const Scene& scene) {
  LinePanel panel;
  panel.title = "Sample efficiency";
  panel.x_label = "share of training";
  panel.y_label = "IQM of normalised score";
  panel.counts_on_x = false;
  panel.x_range = {0, 1};
  const std::vector<double> shares = shares_of_training(scene.numbers());
  for (const std::size_t a : scene.algorithms) {
    const auto tasks = normalised_curves(scene.numbers(), a, shares);
    if (tasks.empty()) continue;
    Series series;
    series.label = scene.numbers().label(a);
    series.style = scene.styles[a];
    series.x = shares;
    series.y = iqm_over_tasks(tasks);
    const Rng rng = seeded(0).fork("efficiency").fork(series.label);
    if (scene.algorithms.size() <= kMostLines) {
      set_band(series,
               statistics::bootstrap_curve(tasks, statistics::aggregate_iqm, rng, kBandBootstrap));
    }
    panel.series.push_back(std::move(series));
  }
  return draw(panel);
}

Drawing draw_profile(const Scene& scene) {
  LinePanel panel;
  panel.title = "Performance profile";
  panel.x_label = "normalised final score τ";
  panel.y_label = "share of runs above τ";
  panel.counts_on_x = false;
  panel.y_range = {0, 1};
  std::vector<double> thresholds;
  for (int i = 0; i <= 60; ++i) thresholds.push_back(i / 60.0);
  for (const std::size_t a : scene.algorithms) {
    const statistics::TaskScores scores = task_scores(scene.numbers(), a, true);
    if (scores.empty()) continue;
    Series series{scene.numbers().label(a),
                  scene.styles[a],
                  thresholds,
                  statistics::performance_profile(scores, thresholds),
                  {},
                  {},
                  false};
    panel.series.push_back(std::move(series));
  }
  return draw(panel);
}

}  // namespace

Figure overall_figure(const Scene& scene) {
  const bool bands = scene.algorithms.size() <= kMostLines;
  const bool one_seed = scene.numbers().most_seeds < 2;
  return {
      "overall",
      "Over all environments",
      concat(
          {"Left: IQM over environments and seeds of normalised scores, smoothed over 10 "
           "evaluations, ",
           one_seed ? std::string("without intervals (one seed)")
           : bands  ? concat({"with pointwise 95 % bootstrap intervals over seeds (",
                              std::to_string(kBandBootstrap.resamples), " draws)"})
                    : std::string("without intervals, which would hide each other"),
           ". Right: share of runs whose normalised final score exceeds τ; a curve above another "
           "everywhere is better throughout."}),
      {draw_efficiency(scene), draw_profile(scene)},
      scene.legend(),
      2};
}

Figure aggregates_figure(const Scene& scene) {
  Figure figure;
  figure.id = "aggregates";
  figure.title = "Aggregates over environments and seeds";
  figure.caption = concat({scene.numbers().most_seeds > 1
                               ? concat({"Points with ", intervals_text(scene.numbers()),
                                         ", stratified, never over episodes."})
                               : std::string("One seed: points without intervals."),
                           " Final scores are means of the last "
                           "10 evaluations, normalised with R_min and R_max of the environment."});
  const auto add = [&](const std::vector<Aggregates>& of, const std::string& what,
                       Estimate Aggregates::*which, const std::string& name) {
    figure.panels.push_back(
        draw(aggregate_panel(scene, of, concat({name, " of ", what}), what, which)));
  };
  const Analysis& numbers = scene.numbers();
  add(numbers.nauc, "nAUC", &Aggregates::iqm, "IQM");
  add(numbers.nauc, "nAUC", &Aggregates::median, "Median");
  add(numbers.nauc, "nAUC", &Aggregates::mean, "Mean");
  add(numbers.final_score, "final score", &Aggregates::iqm, "IQM");
  add(numbers.final_score, "final score", &Aggregates::median, "Median");
  add(numbers.final_score, "final score", &Aggregates::optimality_gap, "Optimality gap");
  return figure;
}

Figure improvement_figure(const Scene& scene) {
  IntervalPanel probability, difference;
  probability.title = "Probability of improvement";
  probability.x_label = "P(compared beats baseline)";
  probability.reference = 0.5;
  difference.title = "Difference in nAUC";
  difference.x_label = "compared − baseline";
  difference.reference = 0;
  for (const Pair& pair : scene.numbers().pairs) {
    const std::string name =
        concat({scene.numbers().label(pair.compared), " vs ", scene.numbers().label(pair.base)});
    const std::string& style = scene.styles[pair.compared];
    probability.rows.push_back(interval_row(name, style, pair.improvement, 2));
    difference.rows.push_back(interval_row(name, style, pair.difference, 3));
    difference.rows.back().text = signed_fixed(pair.difference.value, 3);
  }
  Figure figure{"improvement",
                "Who beats whom",
                concat({"On nAUC. 0.5 and 0 mean no difference; ",
                        scene.numbers().most_seeds > 1 ? intervals_text(scene.numbers())
                                                       : std::string("one seed: no intervals"),
                        "."}),
                {},
                {},
                2};
  if (!probability.rows.empty()) figure.panels = {draw(probability), draw(difference)};
  return figure;
}

}  // namespace tarl::report
