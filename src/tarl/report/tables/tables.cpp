// SPDX-License-Identifier: MIT
#include "tarl/report/tables/tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tarl/report/analysis/verdict.h"
#include "tarl/report/text.h"
#include "tarl/statistics/hypothesis_tests.h"
#include "tarl/statistics/power.h"

namespace tarl::report {

namespace {

constexpr const char* kMetricNotes[] = {
    "nAUC: mean over evaluations of max(0, (R − R_min) / (R_max − R_min)), by seed. It is "
    "relative to this study: never compare it with another study's.",
    "Raw AUC: mean evaluation score over training, in the environment's own units.",
    "Final: mean score of the last 10 evaluations.", "Peak: best single evaluation of a run."};

constexpr const char* kNoUpdate = "no update";

constexpr const char* kMetricTitles[] = {"nAUC", "Raw AUC", "Final score", "Peak score"};

constexpr const char* kBoldNote =
    " Bold: the best of a column, whether or not the difference can be told from chance.";

constexpr const char* kPartialNote =
    " An algorithm without runs in some environments is averaged over the others: that number "
    "compares with nobody's, and is never bold.";

std::string brackets_note(const Analysis& numbers, const char* how = "") {
  return numbers.most_seeds > 1 ? concat({"Brackets: ", intervals_text(numbers), how, "."})
                                : std::string("One seed: no intervals.");
}

std::string intervals_note(const Analysis& numbers) {
  return numbers.most_seeds > 1
             ? concat({"Means over seeds; brackets are ", intervals_text(numbers), "."})
             : std::string("One seed: no intervals.");
}

bool any_partial(const Scene& scene) {
  return std::any_of(scene.algorithms.begin(), scene.algorithms.end(),
                     [&](std::size_t a) { return is_partial(scene.numbers(), a); });
}

// nAUC lies between 0 and 1; returns have the environment's scale.
std::string metric_text(Metric metric, double value) {
  return metric == kNauc ? fixed(value, 3) : significant(value, 4);
}

std::string metric_interval(Metric metric, Interval ci) {
  if (!ci.known()) return "";
  return concat({"[", metric_text(metric, ci.low), ", ", metric_text(metric, ci.high), "]"});
}

// Shown below the name of an algorithm with missing environments, or below its average.
std::string coverage_text(std::size_t mine, std::size_t all) {
  if (mine == 0 || mine == all) return "";
  return concat({std::to_string(mine), " of ", plural(all, "environment")});
}

// Those in which any algorithm has runs that learned.
std::size_t measured_environments(const Analysis& numbers) {
  const auto measured = [](const EnvironmentAnalysis& environment) {
    return std::any_of(environment.cells.begin(), environment.cells.end(),
                       [](const Cell& cell) { return cell.counts(); });
  };
  const auto& all = numbers.environments;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), measured));
}

// A mean, and the spread if there is more than one value.
std::string mean_and_sd(const std::vector<double>& values) {
  if (values.empty()) return "–";
  const std::string mean = fixed(statistics::mean(values), 3);
  return values.size() == 1 ? mean
                            : concat({mean, " ± ", fixed(statistics::population_sd(values), 2)});
}

TableCell estimate_cell(const Estimate& estimate) {
  return {fixed(estimate.value, 3), interval(estimate.ci, 3), false};
}

// Marks the largest (or smallest) values of a column, including ties; none if all are equal.
void mark_best(Table& table, std::size_t column, std::vector<double> values, bool largest) {
  if (!largest) {
    for (double& value : values) value = -value;
  }
  std::vector<double> known = values;
  std::erase_if(known, [](double value) { return std::isnan(value); });
  if (known.empty() || statistics::quantile(known, 0) == statistics::peak(known)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    table.rows[i][column].strong = values[i] == statistics::peak(known);
  }
}

const char* kind_note(PairKind kind) {
  switch (kind) {
    case PairKind::kControl:
      return ", control with a larger batch";
    case PairKind::kVersion:
      return ", the same condition under another label";
    default:
      return "";
  }
}

std::string seeds_needed_text(const std::optional<int>& seeds) {
  return seeds ? std::to_string(*seeds) : "> 1000";
}

}  // namespace

Table metric_table(const Scene& scene, Metric metric) {
  const Analysis& numbers = scene.numbers();
  Table table;
  table.id = concat({"table-", file_name(metric_name(metric))});
  table.title = kMetricTitles[metric];
  table.note = concat({kMetricNotes[metric], " ", intervals_note(numbers), kBoldNote});
  table.header = {"algorithm"};
  for (const EnvironmentAnalysis& environment : numbers.environments) {
    table.header.push_back(environment.title);
  }
  const bool with_mean = metric == kNauc && numbers.environments.size() > 1;
  if (with_mean) table.header.push_back("mean ± SD over environments");
  const std::size_t measured = measured_environments(numbers);
  for (const std::size_t a : scene.algorithms) {
    table.rows.push_back({{numbers.label(a), "", false}});
    std::vector<double> means;
    for (const EnvironmentAnalysis& environment : numbers.environments) {
      const Cell& cell = environment.cells[a];
      const Measure& measure = cell.measures[metric];
      const std::string ci = cell.untrained ? kNoUpdate : metric_interval(metric, measure.ci);
      table.rows.back().push_back({metric_text(metric, measure.mean), ci, false});
      if (cell.counts()) means.push_back(measure.mean);
    }
    if (!with_mean) continue;
    table.rows.back().push_back({mean_and_sd(means), coverage_text(means.size(), measured), false});
  }
  for (std::size_t env = 0; env < numbers.environments.size(); ++env) {
    std::vector<double> column;
    for (const std::size_t a : scene.algorithms) {
      const Cell& cell = numbers.environments[env].cells[a];
      column.push_back(cell.counts() ? cell.measures[metric].mean : statistics::kNaN);
    }
    mark_best(table, env + 1, column, true);
  }
  return table;
}

Table aggregate_table(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  Table table;
  table.id = "table-aggregates";
  table.title = "Aggregates over environments and seeds";
  table.note = concat(
      {"As in rliable: IQM is the mean of the middle half of all runs, the optimality gap is what "
       "is missing to 1. ",
       brackets_note(numbers, ", stratified by environment"), kBoldNote,
       any_partial(scene) ? kPartialNote : ""});
  table.header = {"algorithm",       "IQM of nAUC",   "IQM of final",
                  "median of final", "mean of final", "optimality gap"};
  std::vector<std::vector<double>> columns(5);
  for (const std::size_t a : scene.algorithms) {
    const Aggregates& nauc = numbers.nauc[a];
    const Aggregates& last = numbers.final_score[a];
    table.rows.push_back(
        {{numbers.label(a), coverage_text(nauc.environments, numbers.scored_environments), false}});
    const Estimate* estimates[] = {&nauc.iqm, &last.iqm, &last.median, &last.mean,
                                   &last.optimality_gap};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      table.rows.back().push_back(estimate_cell(*estimates[i]));
      columns[i].push_back(is_partial(numbers, a) ? statistics::kNaN : estimates[i]->value);
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) mark_best(table, i + 1, columns[i], i != 4);
  return table;
}

Table bounds_table(const Scene& scene) {
  Table table;
  table.id = "table-bounds";
  table.title = "What nAUC is relative to";
  table.note =
      "R_max is the best evaluation of any run in this table that had learned by then, so nAUC "
      "changes when runs are added. To compare studies, name them together: tarl report A B.";
  table.header = {"environment", "R_min", "set by", "R_max", "set by"};
  table.text_columns = {0, 2, 4};
  for (const EnvironmentAnalysis& environment : scene.numbers().environments) {
    table.rows.push_back({{environment.title, environment.name, false},
                          {significant(environment.bounds.low, 4), "", false},
                          {environment.low_source, "", false},
                          {significant(environment.bounds.high, 4),
                           environment.bounds.usable() ? "" : "not above R_min", false},
                          {environment.high_source, "", false}});
  }
  return table;
}

Table pairs_table(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  Table table;
  table.id = "table-pairs";
  table.title = "All comparisons, over environments";
  table.note = concat(
      {"On nAUC. ", brackets_note(numbers),
       " Won: environments, and paired seeds below. Mean of ratios averages the environments' "
       "gains, ratio of means is the gain of the averages: one large ratio moves the first. "
       "P: probability that a run of the first beats a run of the second. p: two-sided sign-flip "
       "test over all paired seeds, raw and with Holm's correction over the family, which stands "
       "below each comparison. ",
       family_note(numbers)});
  table.header = {"comparison",     "nAUC", "difference", "mean of ratios", "ratio of means",
                  "P(improvement)", "won",  "p",          "p with Holm"};
  for (const Pair& pair : numbers.pairs) {
    const auto won = [](std::size_t wins, std::size_t of) {
      return concat({std::to_string(wins), " / ", std::to_string(of)});
    };
    table.rows.push_back(
        {{concat({numbers.label(pair.compared), " vs ", numbers.label(pair.base)}),
          concat({family_name(pair.family), kind_note(pair.kind)}), false},
         {fixed(pair.compared_mean, 3), concat({"vs ", fixed(pair.base_mean, 3)}), false},
         {signed_fixed(pair.difference.value, 3), signed_interval(pair.difference.ci, 3), false},
         {percent(pair.gains.mean_of_ratios), "", false},
         {percent(pair.gains.ratio_of_means), signed_interval(pair.ratio_ci, 1), false},
         {fixed(pair.improvement.value, 2), interval(pair.improvement.ci, 2), false},
         {won(pair.environment_wins, pair.environments.size()),
          concat({won(pair.seed_wins, pair.seed_count), " seeds"}), false},
         {p_value(pair.pooled_p), "", false},
         {p_value(pair.pooled_holm), "", false}});
  }
  return table;
}

Table environments_table(const Scene& scene, const Pair& pair) {
  const Analysis& numbers = scene.numbers();
  Table table;
  table.id = concat({"table-pair-", file_name(numbers.label(pair.compared)), "-vs-",
                     file_name(numbers.label(pair.base))});
  table.title = concat({numbers.label(pair.compared), " vs ", numbers.label(pair.base)});
  table.note =
      "Paired by seed; brackets as in the other tables. d: mean difference in standard deviations "
      "of the differences. p values are "
      "two-sided; Holm corrects over the environments of this table. Seeds needed: for 80 % power "
      "if the true effect is the observed one, and never below the 6 that p < 0.05 takes.";
  table.header = {"environment", "difference", "gain",    "seeds won", "d",
                  "sign-flip p", "with Holm",  "Welch p", "with Holm", "seeds needed"};
  for (const EnvironmentPair& e : pair.environments) {
    std::string won = concat({std::to_string(e.wins), " / ", std::to_string(e.base.size())});
    if (e.ties > 0) won += concat({" (", plural(e.ties, "tie"), ")"});
    table.rows.push_back(
        {{numbers.environments[e.environment].title, "", false},
         {signed_fixed(e.difference, 3), signed_interval(e.ci, 3), false},
         {percent(e.gain_percent), "", false},
         {won, "", false},
         {signed_fixed(e.effect, 2), "", false},
         {p_value(e.permutation_p), "", false},
         {p_value(e.permutation_holm), "", false},
         {p_value(e.welch_p), "", false},
         {p_value(e.welch_holm), "", false},
         {std::isnan(e.effect) ? "–" : seeds_needed_text(e.seeds_needed), "", false}});
  }
  return table;
}

Table power_table(const Scene& scene) {
  Table table;
  table.id = "table-power";
  table.title = "What a number of seeds can show";
  table.note =
      "For one environment. Coverage: share of nominal 95 % bootstrap intervals of a mean that "
      "hold the truth, simulated for normal (log-normal) scores. Effects: differences in standard "
      "deviations that are found with 80 % power at p < 0.05.";
  table.header = {"seeds", "smallest p", "coverage", "effect, paired", "effect, unpaired"};
  std::set<int> counts = {3, 5, 10, 20, 30};
  const int ours = static_cast<int>(compared_seeds(scene.numbers()));
  if (ours >= 2) counts.insert(ours);
  for (const int n : counts) {
    const statistics::Coverage coverage = statistics::bootstrap_coverage(n);
    table.rows.push_back({{std::to_string(n), n == ours ? "this study" : "", n == ours},
                          {significant(statistics::smallest_permutation_p(n), 2), "", false},
                          {concat({n < 3 ? "below " : "", fixed(100 * coverage.normal, 0), " % (",
                                   fixed(100 * coverage.log_normal, 0), " %)"}),
                           "", false},
                          {fixed(statistics::smallest_effect_paired(n), 2), "", false},
                          {fixed(statistics::smallest_effect_welch(n), 2), "", false}});
  }
  return table;
}

}  // namespace tarl::report
