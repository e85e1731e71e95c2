// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/sweeps.h"

#include <algorithm>
#include <functional>
#include <set>

#include "tarl/core/formats/number.h"
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/figures/figures.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// The nAUC of an algorithm, over all environments or in one; NaN if it has none.
using ScoreOf = std::function<Estimate(std::size_t)>;

std::vector<LegendEntry> legend_of(const Sweep& sweep) {
  std::vector<LegendEntry> entries;
  for (const SweepLine& line : sweep.lines) {
    entries.push_back({line.label, condition_style(entries.size(), !line.aligned)});
  }
  return entries;
}

bool has_bands(const Sweep& sweep, const Analysis& numbers) {
  return sweep.lines.size() <= kMostLines && numbers.fewest_seeds > 1;
}

Drawing draw_sweep(const Sweep& sweep, const std::string& title, bool bands,
                   const ScoreOf& score_of) {
  std::set<double> values;
  for (const SweepLine& line : sweep.lines) {
    for (const auto& [value, algorithm] : line.at) values.insert(value);
  }
  LinePanel panel;
  panel.title = title;
  panel.x_label = sweep.setting;
  panel.y_label = "nAUC";
  for (const double value : values) panel.x_names.push_back(format_number(value));
  const std::vector<LegendEntry> entries = legend_of(sweep);
  for (std::size_t i = 0; i < sweep.lines.size(); ++i) {
    Series series;
    series.label = entries[i].label;
    series.style = entries[i].style;
    series.dots = true;
    for (const auto& [value, algorithm] : sweep.lines[i].at) {
      const Estimate score = score_of(algorithm);
      series.x.push_back(static_cast<double>(std::distance(values.begin(), values.find(value))));
      series.y.push_back(score.value);
      if (!bands) continue;
      series.low.push_back(score.ci.low);
      series.high.push_back(score.ci.high);
    }
    panel.series.push_back(std::move(series));
  }
  return draw(panel);
}

// Averages over different environments do not form a curve.
bool share_environments(const Sweep& sweep, const Analysis& numbers) {
  std::set<std::size_t> counts;
  for (const SweepLine& line : sweep.lines) {
    for (const auto& [value, a] : line.at) counts.insert(numbers.nauc[a].environments);
  }
  return counts.size() == 1;
}

Figure sweep_figure(const Analysis& numbers, const Sweep& sweep) {
  const bool bands = has_bands(sweep, numbers);
  Figure figure;
  figure.id = concat({"sensitivity-", file_name(sweep.setting)});
  figure.title = concat({"Sensitivity to ", sweep.setting});
  figure.legend = legend_of(sweep);
  figure.caption = concat({"Mean nAUC of the conditions that differ in ", sweep.setting, " alone",
                           bands ? concat({"; bands are ", intervals_text(numbers)}) : "",
                           ". Values stand side by side, not to scale.",
                           sweep.setting == kMarginSetting ? " At 0: the plain agent." : ""});
  if (numbers.environments.size() > 1 && share_environments(sweep, numbers)) {
    figure.panels.push_back(draw_sweep(sweep, "All environments", bands,
                                       [&](std::size_t a) { return numbers.nauc[a].mean; }));
  }
  for (const EnvironmentAnalysis& environment : numbers.environments) {
    figure.panels.push_back(draw_sweep(sweep, environment.title, bands, [&](std::size_t a) {
      const Cell& cell = environment.cells[a];
      if (!cell.counts()) return Estimate{statistics::kNaN, {statistics::kNaN, statistics::kNaN}};
      return Estimate{cell.measures[kNauc].mean, cell.measures[kNauc].ci};
    }));
  }
  return figure;
}

}  // namespace

std::vector<Figure> sweep_figures(const Scene& scene) {
  std::vector<Figure> figures;
  for (const Sweep& sweep : find_sweeps(scene.numbers())) {
    figures.push_back(sweep_figure(scene.numbers(), sweep));
  }
  return figures;
}

}  // namespace tarl::report
