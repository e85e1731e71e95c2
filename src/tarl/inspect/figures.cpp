// SPDX-License-Identifier: MIT
#include "tarl/inspect/figures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tarl/report/figures/filter.h"
#include "tarl/report/figures/scenario_columns.h"
#include "tarl/report/text.h"

namespace tarl::inspect {

namespace {

using report::concat;
using report::Drawing;
using report::Figure;
using report::KeptBy;
using report::Series;

constexpr const char* kKeptStyle = "c0";
constexpr const char* kAllStyle = "muted dash";
constexpr std::pair kScores{0.0, 1.02};

std::string share_text(double share) {
  return concat({report::fixed(100 * share, 1), " %"});
}

const KeptBy* find(const Numbers& numbers, const std::string& property) {
  for (const KeptBy& by : numbers.counts.by) {
    if (by.property == property) return &by;
  }
  return nullptr;
}

// The share of each kind among all candidates.
void add_shares(Figure& figure, const Numbers& numbers, const char* property, const char* title) {
  const KeptBy* by = find(numbers, property);
  if (by == nullptr) return;
  report::BarPanel panel;
  panel.title = title;
  panel.x_label = "share of candidates";
  for (const report::KeptKind& kind : by->kinds) {
    const double share = static_cast<double>(kind.count.candidates) /
                         static_cast<double>(numbers.counts.all.candidates);
    panel.bars.push_back({kind.name, kKeptStyle, share, std::nullopt, share_text(share)});
  }
  figure.panels.push_back(report::draw(panel));
}

void add_means(Figure& figure, const Numbers& numbers, const char* property, const char* title) {
  const KeptBy* by = find(numbers, property);
  if (by == nullptr) return;
  report::BarPanel panel;
  panel.title = title;
  panel.x_label = "mean score";
  for (const report::KeptKind& kind : by->kinds) {
    const double mean = kind.count.mean_alignment();
    panel.bars.push_back(
        {kind.name, kKeptStyle, mean, std::nullopt,
         concat({report::fixed(mean, 3), ", n = ", report::grouped(kind.count.candidates)})});
  }
  figure.panels.push_back(report::draw(panel));
}

Series series_of(const std::vector<Band>& bands, const char* label, const char* style) {
  Series series{label, style, {}, {}, {}, {}, false};
  for (const Band& band : bands) {
    series.x.push_back(band.place);
    series.y.push_back(band.mean);
    series.low.push_back(band.low);
    series.high.push_back(band.high);
  }
  return series;
}

// Errors span orders of magnitude; a zero error has no place on the axis.
std::vector<Band> on_a_log_axis(const std::vector<Band>& bands) {
  std::vector<Band> out;
  for (Band band : bands) {
    if (band.place <= 0) continue;
    band.place = std::log10(band.place);
    out.push_back(band);
  }
  return out;
}

Drawing draw_bands(const std::vector<Band>& bands, const char* title, const char* x_label,
                   bool counts_on_x) {
  report::LinePanel panel;
  panel.title = title;
  panel.x_label = x_label;
  panel.y_label = "score";
  panel.y_range = kScores;
  panel.counts_on_x = counts_on_x;
  panel.series = {series_of(bands, "mean", kKeptStyle)};
  return report::draw(panel);
}

constexpr const char* kKeptLine = "c4";  // after c0 to c3 of the scenarios
constexpr const char* kLagAxis = "updates since the target was copied";

Drawing draw_ages(const Numbers& numbers) {
  report::LinePanel panel;
  panel.title = "Mean score";
  panel.x_label = kLagAxis;
  panel.y_label = "score";
  panel.y_range = kScores;
  std::vector<Band> bands;
  Series kept{"kept", kKeptLine, {}, {}, {}, {}, false};
  for (const AgeOfTarget& age : numbers.by_lag) {
    bands.push_back(age.all);
    kept.x.push_back(age.all.place);
    kept.y.push_back(age.kept);
  }
  panel.series = {series_of(bands, "all candidates", kAllStyle), std::move(kept)};
  return report::draw(panel);
}

Drawing draw_scenarios_by_age(const Numbers& numbers) {
  report::LinePanel panel;
  panel.title = "Share of all candidates";
  panel.x_label = kLagAxis;
  panel.y_range = {0, 1};
  panel.stacked = true;
  for (std::size_t scenario = 0; scenario < report::kScenarioColumns.size(); ++scenario) {
    const report::ScenarioColumn& shown = report::kScenarioColumns[scenario];
    Series series{shown.label, shown.style, {}, {}, {}, {}, false};
    for (const AgeOfTarget& age : numbers.by_lag) {
      series.x.push_back(age.all.place);
      series.y.push_back(age.scenarios[scenario]);
    }
    panel.series.push_back(std::move(series));
  }
  return report::draw(panel);
}

}  // namespace

Figure scores_figure(const Numbers& numbers) {
  Figure figure;
  figure.id = "scores";
  figure.title = "Scores and scenarios";
  figure.caption =
      concat({"Of all ", report::grouped(numbers.counts.all.candidates),
              " candidates, before the choice. A score of 1 has a bar of its own: the online "
              "network asks for the whole of the offline step, or for more."});
  figure.columns = 2;
  add_shares(figure, numbers, "alignment", "by score");
  add_shares(figure, numbers, "scenario", "by scenario");
  return figure;
}

Figure properties_figure(const Numbers& numbers) {
  Figure figure;
  figure.id = "properties";
  figure.title = "What a score goes with";
  figure.caption =
      "All candidates. Lines: twenty bands of as many candidates each (fewer where many values are "
      "equal), placed at their median, with the mean of their scores and, shaded, the middle half. "
      "The offline error is the mean over critics. At the end of an episode both targets are the "
      "reward, so that the score is 1 by definition.";
  figure.columns = 2;
  figure.panels = {
      draw_bands(on_a_log_axis(numbers.by_error), "by |offline error|", "log10 |offline error|",
                 false),
      draw_bands(numbers.by_age, "by age", "environment steps since the transition", true)};
  add_means(figure, numbers, "reward", "by reward");
  add_means(figure, numbers, "terminal", "by end of episode");
  return figure;
}

Figure ages_figure(const Numbers& numbers) {
  Figure figure;
  figure.id = "sync-to-sync";
  figure.title = "From one copy of the target to the next";
  figure.caption =
      concat({"Each of the ", std::to_string(numbers.by_lag.size()),
              " points has candidates of its own, drawn when the target had that age; 1 would be "
              "the first update after a copy, where both networks are equal. Shaded: the middle "
              "half of all candidates' scores."});
  figure.columns = 2;
  figure.panels = {draw_ages(numbers), draw_scenarios_by_age(numbers)};
  figure.legend = {{"kept", kKeptLine}, {"all candidates", kAllStyle}};
  for (const report::ScenarioColumn& shown : report::kScenarioColumns) {
    figure.legend.push_back({shown.label, shown.style});
  }
  return figure;
}

Figure chances_figure(const Numbers& numbers) {
  Figure figure;
  figure.id = "filter";
  figure.title = "What the filter keeps";
  const report::KeptCount& all = numbers.counts.all;
  if (all.kept == all.candidates) return figure;
  figure.caption =
      concat({"The chance of a candidate to be kept, by what it is, with the number of "
              "candidates. A choice without scores would keep ",
              report::fixed(all.chance(), 3), " of each kind."});
  for (const KeptBy& by : numbers.counts.by) {
    figure.panels.push_back(report::chance_panel(by, kKeptStyle));
  }
  return figure;
}

}  // namespace tarl::inspect
