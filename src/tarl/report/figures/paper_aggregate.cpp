// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include "tarl/report/figures/paper.h"
#include "tarl/report/text.h"
#include "tarl/rl/metrics.h"

namespace tarl::report {

namespace {

using Positions = std::vector<std::size_t>;

constexpr double kFramesPerStep = 4;  // Atari

// Median over environments and seeds of normalised curves, against the first environment's steps.
// Environments must have the same number of evaluations; others are left out.
template <class Transform>
Series median_over_games(const Scene& scene, const Positions& environments, std::size_t algorithm,
                         double x_scale, Transform transform) {
  std::vector<Curve> all;
  Series series;
  series.label = scene.numbers().label(algorithm);
  series.style = scene.styles[algorithm];
  for (const std::size_t env : environments) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[env];
    if (series.x.empty()) {
      for (const double step : environment.timesteps) series.x.push_back(step * x_scale);
    }
    if (environment.timesteps.size() != series.x.size()) continue;
    for (const Curve& curve : environment.cells[algorithm].curves) {
      all.push_back(transform(curve, env));
    }
  }
  series.y = statistics::quantile_curve(all, 0.5);
  return series;
}

Drawing peak_panel(const Scene& scene, const Positions& environments, std::size_t plain,
                   std::size_t aligned) {
  BarPanel panel;
  panel.title = "Peak score gain by game";
  panel.x_label = "percent of the baseline's peak above random";
  for (const std::size_t env : environments) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[env];
    const double before = environment.cells[plain].measures[kPeak].mean;
    const double after = environment.cells[aligned].measures[kPeak].mean;
    const double gain = statistics::gain_percent(before, after, before - environment.bounds.low);
    panel.bars.push_back(
        {environment.title, scene.styles[aligned], gain, std::nullopt, percent(gain, 0)});
  }
  return draw(panel);
}

Drawing wall_clock_panel(const Scene& scene, const Positions& environments,
                         const Positions& algorithms) {
  BarPanel panel;
  panel.title = "Wall-clock of a run";
  panel.x_label = "hours (mean over games and seeds)";
  const study::Results& results = *scene.numbers().results;
  for (const std::size_t a : algorithms) {
    std::vector<double> hours;
    for (const std::size_t env : environments) {
      for (const std::size_t at : results.cell(env, a)) {
        if (results.runs[at].wall_seconds >= 0)
          hours.push_back(results.runs[at].wall_seconds / 3600);
      }
    }
    if (hours.empty()) continue;
    const double mean = statistics::mean(hours);
    panel.bars.push_back(
        {scene.numbers().label(a), scene.styles[a], mean, std::nullopt, significant(mean, 3)});
  }
  return draw(panel);
}

// Lowest and highest score of the shown algorithms, as the paper normalises its margin ablation.
statistics::Bounds observed_bounds(const Scene& scene, std::size_t env,
                                   const Positions& algorithms) {
  Curve all;
  for (const std::size_t a : algorithms) {
    for (const Curve& curve : scene.numbers().environments[env].cells[a].curves) {
      all.insert(all.end(), curve.begin(), curve.end());
    }
  }
  return {statistics::quantile(all, 0), statistics::quantile(all, 1)};
}

// A logged column averaged over environments, smoothed.
Series progress_over_games(const Scene& scene, const Positions& environments, std::size_t algorithm,
                           const std::string& column) {
  std::map<double, std::pair<double, int>> sums;
  Series out;
  for (const std::size_t env : environments) {
    const Series one = progress_series(scene, env, algorithm, column);
    out.label = one.label;
    out.style = one.style;
    for (std::size_t i = 0; i < one.x.size(); ++i) {
      sums[one.x[i]].first += one.y[i];
      ++sums[one.x[i]].second;
    }
  }
  for (const auto& [step, sum] : sums) {
    out.x.push_back(step);
    out.y.push_back(sum.first / sum.second);
  }
  out.y = statistics::trailing_mean(out.y);
  return out;
}

LinePanel share_panel(const std::string& title, const std::string& y_label) {
  LinePanel panel;
  panel.title = title;
  panel.x_label = "environment steps";
  panel.y_label = y_label;
  panel.y_range = {0, 1.02};
  return panel;
}

Figure margin_figure(const Scene& scene, const Positions& environments,
                     const Positions& algorithms) {
  LinePanel score = share_panel("Score", "median normalised score");
  LinePanel mean = share_panel("Mean alignment", "kept batch");
  LinePanel least = share_panel("Minimum alignment", "kept batch");
  score.y_range.reset();
  std::map<std::size_t, statistics::Bounds> bounds;
  for (const std::size_t env : environments) bounds[env] = observed_bounds(scene, env, algorithms);
  for (const std::size_t a : algorithms) {
    score.series.push_back(
        median_over_games(scene, environments, a, 1, [&](const Curve& curve, std::size_t env) {
          return statistics::trailing_mean(statistics::normalise(curve, bounds.at(env)));
        }));
    mean.series.push_back(
        progress_over_games(scene, environments, a, rl::name_of(rl::Metric::kAlignmentMean)));
    least.series.push_back(
        progress_over_games(scene, environments, a, rl::name_of(rl::Metric::kAlignmentMin)));
  }
  Figure figure;
  figure.panels = {draw(score), draw(mean), draw(least)};
  figure.legend = scene.legend(algorithms);
  set_paper_texts(figure, 5, "The oversampling margin, over all games",
                  "Left: median over games and seeds of scores min-max normalised by game. Centre, "
                  "right: mean and minimum alignment of the batch that is learned from, where it "
                  "was logged. Smoothed over 10 evaluations.");
  return figure;
}

Figure margin_scores_figure(const Scene& scene, const Positions& environments,
                            const Positions& algorithms) {
  Figure figure;
  for (const std::size_t env : environments) {
    LinePanel panel;
    panel.title = scene.numbers().environments[env].title;
    panel.x_label = "environment steps";
    panel.y_label = "return";
    for (const std::size_t a : algorithms) {
      panel.series.push_back(median_series(scene, env, a, false));
    }
    figure.panels.push_back(draw(panel));
  }
  figure.legend = scene.legend(algorithms);
  set_paper_texts(figure, 12, "The oversampling margin, game by game",
                  "Median return over seeds, smoothed over 10 evaluations.");
  return figure;
}

// Without data, no figure.
void add_margin_alignment(const Scene& scene, int number, const std::string& column,
                          const std::string& title, const Positions& environments,
                          const Positions& algorithms, std::vector<Figure>& figures) {
  Figure figure;
  bool any = false;
  for (const std::size_t env : environments) {
    LinePanel panel = share_panel(scene.numbers().environments[env].title, "alignment");
    for (const std::size_t a : algorithms) {
      panel.series.push_back(progress_series(scene, env, a, column));
      any = any || !panel.series.back().x.empty();
    }
    figure.panels.push_back(draw(panel));
  }
  figure.legend = scene.legend(algorithms);
  set_paper_texts(figure, number, title, "Mean over seeds, not smoothed.");
  if (any) figures.push_back(std::move(figure));
}

}  // namespace

Figure atari_figure(const Scene& scene, const Positions& environments, std::size_t plain,
                    std::size_t aligned, std::optional<std::size_t> doubled) {
  Positions algorithms{plain, aligned};
  if (doubled && environments_with(scene, {*doubled}, "atari/") == environments) {
    algorithms.push_back(*doubled);
  }
  LinePanel best, score;
  best.title = "Running maximum";
  score.title = "Score";
  best.x_label = score.x_label = "frames";
  best.y_label = score.y_label = "median normalised score";
  const auto normalised = [&](const Curve& curve, std::size_t env) {
    return statistics::normalise(curve, scene.numbers().environments[env].bounds);
  };
  for (const std::size_t a : algorithms) {
    best.series.push_back(median_over_games(
        scene, environments, a, kFramesPerStep, [&](const Curve& curve, std::size_t env) {
          return statistics::running_maximum(normalised(curve, env));
        }));
    score.series.push_back(median_over_games(
        scene, environments, a, kFramesPerStep, [&](const Curve& curve, std::size_t env) {
          return statistics::trailing_mean(normalised(curve, env));
        }));
  }
  Figure figure;
  figure.panels = {peak_panel(scene, environments, plain, aligned), draw(best), draw(score),
                   wall_clock_panel(scene, environments, algorithms)};
  figure.legend = scene.legend(algorithms);
  figure.columns = 4;
  set_paper_texts(figure, 2, "DDQN and TA-DDQN over the Atari games",
                  "Peak gains by game; median over games and seeds of the normalised running "
                  "maximum and of the score smoothed over 10 evaluations; wall-clock.");
  return figure;
}

void add_margin_figures(const Scene& scene, std::vector<Figure>& figures) {
  Positions algorithms, aligned;
  for (const std::size_t a : scene.algorithms) {
    const study::Algorithm& x = scene.numbers().algorithm(a);
    const bool plain = !x.aligned();
    if (x.base != "dqn" || x.replay != replay::Kind::kUniform || !x.variant.empty()) continue;
    if (!x.align_variant.empty() || (!plain && !x.filters())) continue;
    algorithms.push_back(a);
    if (!plain) aligned.push_back(a);
  }
  const Positions environments = environments_with(scene, algorithms, "minatar/");
  if (aligned.size() < 2 || environments.empty()) return;
  figures.push_back(margin_figure(scene, environments, algorithms));
  figures.push_back(margin_scores_figure(scene, environments, algorithms));
  add_margin_alignment(scene, 13, rl::name_of(rl::Metric::kAlignmentMean),
                       "Mean batch alignment by margin", environments, algorithms, figures);
  add_margin_alignment(scene, 14, rl::name_of(rl::Metric::kAlignmentMin),
                       "Minimum batch alignment by margin", environments, algorithms, figures);
}

}  // namespace tarl::report
