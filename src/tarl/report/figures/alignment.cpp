// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/report/figures/figures.h"
#include "tarl/report/figures/scenario_columns.h"
#include "tarl/report/text.h"
#include "tarl/rl/metrics.h"

namespace tarl::report {

namespace {

Figure column_figure(const Scene& scene, const std::string& id, const std::string& title,
                     const std::string& column, const std::string& caption) {
  Figure figure{id, title, caption, {}, {}, 3};
  std::vector<std::size_t> shown;
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    LinePanel panel;
    panel.title = scene.numbers().environments[env].title;
    panel.x_label = "environment steps";
    panel.y_range = {0, 1.02};
    for (const std::size_t a : scene.algorithms) {
      Series series = progress_series(scene, env, a, column);
      if (series.x.empty()) continue;
      panel.series.push_back(std::move(series));
      if (std::find(shown.begin(), shown.end(), a) == shown.end()) shown.push_back(a);
    }
    if (!panel.series.empty()) figure.panels.push_back(draw(panel));
  }
  std::sort(shown.begin(), shown.end());
  figure.legend = scene.legend(shown);
  return figure;
}

// Shares of the four scenarios among all candidates, one panel per algorithm and environment.
Figure shares_figure(const Scene& scene) {
  Figure figure{"scenarios",
                "Scenario shares of all candidates",
                "Which of the four scenarios the candidates of an update fall into, averaged over "
                "seeds: I and II are supported by the online network, III in part, IV not.",
                {},
                {},
                4};
  for (const ScenarioColumn& column : kScenarioColumns) {
    figure.legend.push_back({column.label, column.style});
  }
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    for (const std::size_t a : scene.algorithms) {
      LinePanel panel;
      panel.title =
          concat({scene.numbers().environments[env].title, ", ", scene.numbers().label(a)});
      panel.stacked = true;
      panel.y_range = {0, 1};
      panel.width = kSmallWidth;
      panel.height = kSmallHeight;
      for (const ScenarioColumn& column : kScenarioColumns) {
        Series series = progress_series(scene, env, a, column.column);
        series.style = column.style;
        series.label = column.label;
        if (!series.x.empty()) panel.series.push_back(std::move(series));
      }
      if (panel.series.size() == std::size(kScenarioColumns)) figure.panels.push_back(draw(panel));
    }
  }
  return figure;
}

}  // namespace

std::vector<Figure> alignment_figures(const Scene& scene) {
  std::vector<Figure> all = {
      column_figure(scene, "alignment-mean", "Mean alignment of what is learned from",
                    rl::name_of(rl::Metric::kAlignmentMean),
                    "Mean score of the rows an update keeps, averaged over seeds."),
      column_figure(scene, "alignment-min", "Minimum alignment of what is learned from",
                    rl::name_of(rl::Metric::kAlignmentMin),
                    "Lowest score among the rows an update keeps, averaged over seeds."),
      column_figure(scene, "alignment-all", "Mean alignment of all candidates",
                    rl::name_of(rl::Metric::kAlignmentMeanAll),
                    "Before the filter: what replay offers."),
      shares_figure(scene)};
  std::erase_if(all, [](const Figure& figure) { return figure.panels.empty(); });
  return all;
}

}  // namespace tarl::report
