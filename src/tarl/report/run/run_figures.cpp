// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "tarl/report/figures/scenario_columns.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/run/run_page.h"
#include "tarl/report/text.h"
#include "tarl/rl/metrics.h"
#include "tarl/statistics/descriptive.h"
#include "tarl/store/progress_csv.h"

namespace tarl::report {

namespace {

using study::RunRecord;

constexpr const char* kStepAxis = "environment steps";
constexpr std::size_t kEpisodeWindow = 100;  // as rollout/ep_rew_mean of Stable-Baselines3

LinePanel run_panel(std::string title, std::string y_label, std::vector<Series> series) {
  LinePanel panel;
  panel.title = std::move(title);
  panel.x_label = kStepAxis;
  panel.y_label = std::move(y_label);
  panel.series = std::move(series);
  return panel;
}

// A column of progress.csv against steps; no points if it was not logged.
Series column_series(const RunRecord& record, const std::string& column, const std::string& label,
                     const std::string& style) {
  Series series{label, style, {}, {}, {}, {}, false};
  const auto& progress = record.run.progress;
  const auto steps = progress.find(store::kStepColumn), values = progress.find(column);
  if (steps == progress.end() || values == progress.end()) return series;
  for (std::size_t i = 0; i < std::min(steps->second.size(), values->second.size()); ++i) {
    if (!std::isfinite(steps->second[i])) continue;
    series.x.push_back(steps->second[i]);
    series.y.push_back(values->second[i]);
  }
  const bool known =
      std::any_of(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
  if (!known) series.x.clear(), series.y.clear();
  return series;
}

// Drops the rows in which none of a panel's lines has a value, as eval/ between evaluations. Lines
// of one panel have the same steps.
void drop_empty_rows(std::vector<Series>& lines) {
  if (lines.empty()) return;
  const auto known = [&](std::size_t row) {
    return std::any_of(lines.begin(), lines.end(),
                       [row](const Series& line) { return std::isfinite(line.y[row]); });
  };
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < lines.front().y.size(); ++row) {
    if (known(row)) rows.push_back(row);
  }
  for (Series& line : lines) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      line.x[i] = line.x[rows[i]];
      line.y[i] = line.y[rows[i]];
    }
    line.x.resize(rows.size());
    line.y.resize(rows.size());
  }
}

struct ColumnLine {
  std::string column;
  const char* label;
  const char* style = "c0";
};

// Adds a panel with the lines that were logged, or no panel if there are none.
void add_columns(RunFigure& figure, const RunRecord& record, const char* title, const char* y_label,
                 std::initializer_list<ColumnLine> lines) {
  std::vector<Series> series;
  for (const ColumnLine& line : lines) {
    Series one = column_series(record, line.column, line.label, line.style);
    if (!one.x.empty()) series.push_back(std::move(one));
  }
  drop_empty_rows(series);
  if (!series.empty()) figure.panels.push_back(run_panel(title, y_label, std::move(series)));
}

// The p-quantile of each evaluation's episodes.
statistics::Curve episode_quantile(const std::vector<std::vector<double>>& returns, double p) {
  statistics::Curve curve;
  for (const std::vector<double>& episodes : returns) {
    curve.push_back(statistics::quantile(episodes, p));
  }
  return curve;
}

RunFigure evaluation_figure(const RunRecord& record) {
  RunFigure figure{"evaluation-curve",
                   "Greedy episodes",
                   "Mean return of the episodes of each evaluation, the band of their middle half, "
                   "and the lowest and the highest.",
                   {},
                   true};
  const study::Run& run = record.run;
  if (run.mean_returns.empty()) return figure;
  const std::vector<double> steps(run.timesteps.begin(), run.timesteps.end());
  Series mean{"mean", "c0", steps, run.mean_returns, {}, {}, false};
  std::vector<Series> series;
  if (run.returns.front().size() > 1) {
    mean.low = episode_quantile(run.returns, 0.25);
    mean.high = episode_quantile(run.returns, 0.75);
    series.push_back({"lowest", "muted", steps, episode_quantile(run.returns, 0), {}, {}, true});
    series.push_back({"highest", "muted", steps, episode_quantile(run.returns, 1), {}, {}, true});
    figure.legend.push_back({"mean", "c0"});
    figure.legend.push_back({"lowest", "muted"});
    figure.legend.push_back({"highest", "muted"});
  }
  series.push_back(std::move(mean));
  figure.panels.push_back(run_panel("Return", "return", std::move(series)));
  add_columns(figure, record, "Episode length", "steps", {{"eval/mean_ep_length", "mean length"}});
  return figure;
}

// Trailing mean over kEpisodeWindow episodes, in time linear in their number.
statistics::Curve episode_mean(const std::vector<double>& values) {
  statistics::Curve curve;
  curve.reserve(values.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= kEpisodeWindow) sum -= values[i - kEpisodeWindow];
    curve.push_back(sum / static_cast<double>(std::min(i + 1, kEpisodeWindow)));
  }
  return curve;
}

LinePanel episode_panel(const char* title, const char* y_label, const store::Episodes& episodes,
                        const std::vector<double>& values) {
  Series raw{"each episode", "muted faint", {}, {}, {}, {}, true};
  Series smooth{"mean of the last 100", "c0", {}, {}, {}, {}, false};
  const statistics::Curve means = episode_mean(values);
  for (const std::size_t at : drawn_points(values.size())) {
    raw.x.push_back(episodes.steps[at]);
    raw.y.push_back(values[at]);
    smooth.y.push_back(means[at]);
  }
  smooth.x = raw.x;
  return run_panel(title, y_label, {std::move(raw), std::move(smooth)});
}

RunFigure training_figure(const RunRecord& record) {
  RunFigure figure{"training-episodes", "Training episodes", "", {}};
  const store::Episodes& episodes = record.episodes;
  if (episodes.count() == 0) return figure;
  figure.caption =
      "Episodes as the agent played them while it learned, exploration included, and their "
      "trailing mean.";
  if (episodes.count() > kMostPoints) {
    figure.caption +=
        concat({" Of ", std::to_string(episodes.count()), " episodes, ",
                std::to_string(kMostPoints), " are drawn, evenly spread; the mean is over all."});
  }
  figure.panels = {episode_panel("Return", "return", episodes, episodes.returns),
                   episode_panel("Length", "steps", episodes, episodes.lengths)};
  figure.legend = {{"each episode", "muted faint"}, {"mean of the last 100", "c0"}};
  return figure;
}

std::string column_of(rl::Metric metric) {
  return rl::name_of(metric);
}

// Whether a count that should be zero ever was nonzero.
bool any_above_zero(const RunRecord& record, rl::Metric metric) {
  const Series series = column_series(record, column_of(metric), "", "");
  return std::any_of(series.y.begin(), series.y.end(), [](double y) { return y > 0; });
}

RunFigure learning_figure(const RunRecord& record) {
  RunFigure figure{"learning-curves",
                   "Loss, values, gradients, exploration",
                   "Means over the updates between two rows of progress.csv: evaluations, and "
                   "every log.every steps.",
                   {},
                   true};
  const auto add = [&](const char* title, rl::Metric metric) {
    add_columns(figure, record, title, "", {{column_of(metric), title}});
  };
  add("Loss", rl::Metric::kLoss);
  add("Critic loss", rl::Metric::kCriticLoss);
  add("Actor loss", rl::Metric::kActorLoss);
  add("Q, mean prediction", rl::Metric::kQMean);
  add("Gradient norm before clipping", rl::Metric::kGradNorm);
  add_columns(figure, record, "Exploration rate", "",
              {{"rollout/exploration_rate", "chance of a random action"}});
  add("Entropy coefficient", rl::Metric::kEntropyCoefficient);
  add("Loss of the entropy coefficient", rl::Metric::kEntropyCoefficientLoss);
  if (any_above_zero(record, rl::Metric::kSkippedUpdates))
    add("Skipped updates", rl::Metric::kSkippedUpdates);
  if (any_above_zero(record, rl::Metric::kNonfiniteCount))
    add("Errors that are no number", rl::Metric::kNonfiniteCount);
  return figure;
}

RunFigure alignment_figure(const RunRecord& record) {
  RunFigure figure{"alignment-curves",
                   "Scores",
                   "Scores in [0, 1] of the candidates drawn for an update. Kept: those it learns "
                   "from. Target lag: updates since the last hard sync of the target.",
                   {},
                   true};
  constexpr const char* kAll = "muted dash";
  add_columns(figure, record, "Mean alignment", "score",
              {{column_of(rl::Metric::kAlignmentMeanAll), "all candidates", kAll},
               {column_of(rl::Metric::kAlignmentMean), "kept"}});
  add_columns(figure, record, "Minimum alignment", "score",
              {{column_of(rl::Metric::kAlignmentMinAll), "all candidates", kAll},
               {column_of(rl::Metric::kAlignmentMin), "kept"}});
  if (figure.panels.empty()) return figure;
  add_columns(figure, record, "Discarded share", "",
              {{column_of(rl::Metric::kDiscardedShare), "not learned from"}});
  add_columns(figure, record, "Target lag", "updates",
              {{column_of(rl::Metric::kTargetLag), "updates since the last sync"}});
  figure.legend = {{"kept", "c0"}, {"all candidates", kAll}};
  return figure;
}

// Intervals without an update have no shares, but areas need a number everywhere.
void drop_unknown(Series& series) {
  std::size_t known = 0;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (std::isnan(series.y[i])) continue;
    series.x[known] = series.x[i];
    series.y[known++] = series.y[i];
  }
  series.x.resize(known);
  series.y.resize(known);
}

RunFigure scenario_figure(const RunRecord& record) {
  RunFigure figure{"scenario-shares",
                   "The four scenarios",
                   "Share of the candidates in each, the four adding up to one: I and II are "
                   "supported by the online network, III in part, IV not.",
                   {}};
  LinePanel panel = run_panel("Share of all candidates", "", {});
  for (const ScenarioColumn& one : kScenarioColumns) {
    Series series = column_series(record, one.column, one.label, one.style);
    if (series.x.empty()) return figure;
    drop_unknown(series);
    figure.legend.push_back({one.label, one.style});
    panel.series.push_back(std::move(series));
  }
  panel.stacked = true;
  panel.y_range = {0, 1};
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace

std::vector<const RunFigure*> RunFigures::all() const {
  std::vector<const RunFigure*> figures = {&evaluation, &training, &learning, &alignment,
                                           &scenarios};
  std::erase_if(figures, [](const RunFigure* figure) { return figure->panels.empty(); });
  return figures;
}

RunFigures run_figures(const study::RunRecord& record) {
  return {evaluation_figure(record), training_figure(record), learning_figure(record),
          alignment_figure(record), scenario_figure(record)};
}

Figure draw(const RunFigure& figure, std::size_t& first) {
  Figure drawn{figure.id, figure.title, figure.caption, {}, figure.legend, 2, true};
  for (LinePanel panel : figure.panels) {
    if (!panel.stacked) {
      panel.attributes =
          concat({" tabindex=\"0\" data-plot=\"curve\" data-at=\"", std::to_string(first++), "\""});
    }
    drawn.stretches = drawn.stretches || !panel.stacked;
    drawn.panels.push_back(draw(panel));
  }
  return drawn;
}

}  // namespace tarl::report
