// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tarl/report/figures/figures.h"
#include "tarl/report/page/style.h"
#include "tarl/report/text.h"
#include "tarl/store/progress_csv.h"

namespace tarl::report {

namespace {

// Styles of lines beyond the number of colours.
constexpr std::array<const char*, 4> kRounds{"", " heavy", " dots", " heavy dots"};

}  // namespace

std::string condition_style(std::size_t at, bool reference) {
  return concat({"c", std::to_string(at % kHues), kRounds[at / kHues % kRounds.size()],
                 reference ? " dash" : ""});
}

std::vector<LegendEntry> Scene::legend(const std::vector<std::size_t>& of) const {
  std::vector<LegendEntry> entries;
  entries.reserve(of.size());
  for (const std::size_t a : of) entries.push_back({numbers().label(a), styles[a]});
  return entries;
}

Scene make_scene(const Analysis& analysis) {
  Scene scene;
  scene.analysis = &analysis;
  scene.algorithms = present_algorithms(analysis);
  const auto& algorithms = analysis.results->algorithms;
  std::map<std::size_t, std::vector<std::size_t>> followers;  // aligned agents by reference
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    if (algorithms[a].aligned() && algorithms[a].reference) {
      followers[*algorithms[a].reference].push_back(a);
    }
  }
  scene.styles.resize(algorithms.size());
  std::size_t next = 0;
  for (const auto& [reference, aligned] : followers) {
    if (aligned.size() > 1 && followers.size() == 1) {
      scene.styles[reference] = "muted dash";
      continue;
    }
    scene.styles[reference] = condition_style(next, true);
    if (algorithms.size() > 2) ++next;
    for (const std::size_t a : aligned) scene.styles[a] = condition_style(next++, false);
  }
  for (const study::Algorithm& algorithm : algorithms) {
    for (const std::size_t control : algorithm.controls) scene.styles[control] = "muted dots";
  }
  for (std::string& style : scene.styles) {
    if (style.empty()) style = condition_style(next++, false);
  }
  return scene;
}

Series median_series(const Scene& scene, std::size_t environment, std::size_t algorithm,
                     bool band) {
  const EnvironmentAnalysis& numbers = scene.numbers().environments[environment];
  std::vector<Curve> smooth;
  for (const Curve& curve : numbers.cells[algorithm].curves) {
    smooth.push_back(statistics::trailing_mean(curve));
  }
  Series series;
  series.label = scene.numbers().label(algorithm);
  series.style = scene.styles[algorithm];
  series.y = statistics::quantile_curve(smooth, 0.5);
  series.x = numbers.timesteps;
  series.x.resize(series.y.size());  // untrained runs may end earlier
  if (band && smooth.size() > 1) {
    series.low = statistics::quantile_curve(smooth, 0.25);
    series.high = statistics::quantile_curve(smooth, 0.75);
  }
  return series;
}

Series progress_series(const Scene& scene, std::size_t environment, std::size_t algorithm,
                       const std::string& column) {
  const study::Results& results = *scene.numbers().results;
  std::map<double, std::pair<double, int>> sums;  // step -> sum, count
  for (const std::size_t at : results.cell(environment, algorithm)) {
    const auto& progress = results.runs[at].progress;
    const auto values = progress.find(column), steps = progress.find(store::kStepColumn);
    if (values == progress.end() || steps == progress.end()) continue;
    for (std::size_t i = 0; i < values->second.size(); ++i) {
      if (!std::isfinite(values->second[i]) || !std::isfinite(steps->second[i])) continue;
      auto& [sum, count] = sums[steps->second[i]];
      sum += values->second[i];
      ++count;
    }
  }
  Series series;
  series.label = scene.numbers().label(algorithm);
  series.style = scene.styles[algorithm];
  for (const auto& [step, sum] : sums) {
    series.x.push_back(step);
    series.y.push_back(sum.first / sum.second);
  }
  return series;
}

Figure cost_figure(const Scene& scene, const std::vector<std::size_t>& algorithms,
                   const std::vector<std::size_t>& environments) {
  Figure figure;
  const study::Results& results = *scene.numbers().results;
  for (const std::size_t env : environments) {
    BarPanel panel;
    panel.title = scene.numbers().environments[env].title;
    panel.x_label = "minutes per run (mean, whisker ±1 SD over seeds)";
    for (const std::size_t a : algorithms) {
      std::vector<double> minutes;
      for (const std::size_t at : results.cell(env, a)) {
        if (results.runs[at].wall_seconds >= 0)
          minutes.push_back(results.runs[at].wall_seconds / 60);
      }
      if (minutes.empty()) continue;
      const double mean = statistics::mean(minutes), sd = statistics::population_sd(minutes);
      panel.bars.push_back({scene.numbers().label(a), scene.styles[a], mean,
                            std::pair(mean - sd, mean + sd), significant(mean, 3)});
    }
    if (!panel.bars.empty()) figure.panels.push_back(draw(panel));
  }
  figure.id = "cost";
  figure.title = "Wall-clock of a run";
  figure.caption =
      "Runs may have shared a machine: compare within this study only, and see the provenance.";
  return figure;
}

}  // namespace tarl::report
