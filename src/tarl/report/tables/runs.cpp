// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tarl/report/tables/tables.h"
#include "tarl/report/text.h"
#include "tarl/rl/metrics.h"

namespace tarl::report {

namespace {

constexpr std::pair<const char*, const char*> kAlignmentColumns[] = {
    {rl::name_of(rl::Metric::kAlignmentMean), "mean, kept"},
    {rl::name_of(rl::Metric::kAlignmentMin), "minimum, kept"},
    {rl::name_of(rl::Metric::kAlignmentMeanAll), "mean, all"},
    {rl::name_of(rl::Metric::kScenarioPerfect), "I perfect"},
    {rl::name_of(rl::Metric::kScenarioUndershoot), "II undershoot"},
    {rl::name_of(rl::Metric::kScenarioOvershoot), "III overshoot"},
    {rl::name_of(rl::Metric::kScenarioMisaligned), "IV misaligned"},
    {rl::name_of(rl::Metric::kDiscardedShare), "discarded"}};

using study::Results;
using study::Run;

// Mean over all rows, seeds and environments of a logged column; NaN if no run logged it.
double mean_of_column(const Results& results, std::size_t algorithm, const std::string& column) {
  std::vector<double> values;
  for (std::size_t env = 0; env < results.environments.size(); ++env) {
    for (const std::size_t at : results.cell(env, algorithm)) {
      const auto found = results.runs[at].progress.find(column);
      if (found == results.runs[at].progress.end()) continue;
      for (const double value : found->second) {
        if (std::isfinite(value)) values.push_back(value);
      }
    }
  }
  return statistics::mean(values);
}

// Training seconds of those runs of a cell that recorded them.
std::vector<double> seconds_of(const Results& results, std::size_t env, std::size_t algorithm) {
  std::vector<double> seconds;
  for (const std::size_t at : results.cell(env, algorithm)) {
    if (results.runs[at].wall_seconds > 0) seconds.push_back(results.runs[at].wall_seconds);
  }
  return seconds;
}

// Percent more wall-clock time than the reference, by environment.
std::vector<double> overheads(const Results& results, std::size_t algorithm) {
  std::vector<double> out;
  const auto reference = results.algorithms[algorithm].reference;
  if (!reference || !results.algorithms[algorithm].aligned()) return out;
  for (std::size_t env = 0; env < results.environments.size(); ++env) {
    const double before = statistics::mean(seconds_of(results, env, *reference));
    const double after = statistics::mean(seconds_of(results, env, algorithm));
    if (before > 0 && after > 0) out.push_back(statistics::gain_percent(before, after, before));
  }
  return out;
}

std::string overhead_text(const std::vector<double>& percents) {
  if (percents.empty()) return "–";
  if (percents.size() == 1) return percent(percents[0]);
  return concat(
      {percent(statistics::mean(percents)), " ± ", fixed(statistics::population_sd(percents), 1)});
}

std::string run_setting(const Run& run, const std::string& key) {
  return run.setting(key, "–");
}

// Every value that a setting takes among the given runs, as a list.
std::string values_of(const Results& results, const std::vector<std::size_t>& runs,
                      const std::string& key) {
  std::set<std::string> values;
  for (const std::size_t at : runs) values.insert(run_setting(results.runs[at], key));
  std::string out;
  for (const std::string& value : values) out += concat({out.empty() ? "" : ", ", value});
  return out.empty() ? "–" : out;
}

bool names_the_run(const std::string& key) {
  return key == "seed" || key == "env" || key == "algo";
}

std::set<std::string> all_keys(const Results& results) {
  std::set<std::string> keys;
  for (const Run& run : results.runs) {
    for (const auto& [key, value] : run.config) {
      if (!names_the_run(key)) keys.insert(key);
    }
  }
  return keys;
}

bool is_shared(const Results& results, const std::string& key) {
  return std::all_of(results.runs.begin(), results.runs.end(), [&](const Run& run) {
    return run_setting(run, key) == run_setting(results.runs.front(), key);
  });
}

}  // namespace

Table alignment_table(const Scene& scene) {
  Table table;
  table.id = "table-alignment";
  table.title = "Alignment, mean over training, seeds and environments";
  table.note =
      "Kept: the rows an update learns from. All: every candidate drawn. Discarded: share "
      "of candidates that were not learned from.";
  table.header = {"algorithm"};
  for (const auto& [column, title] : kAlignmentColumns) table.header.push_back(title);
  for (const std::size_t a : scene.algorithms) {
    std::vector<TableCell> row = {{scene.numbers().label(a), "", false}};
    bool any = false;
    for (const auto& [column, title] : kAlignmentColumns) {
      const double value = mean_of_column(*scene.numbers().results, a, column);
      any = any || std::isfinite(value);
      row.push_back({fixed(value, 3), "", false});
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

Table cost_table(const Scene& scene) {
  const Results& results = *scene.numbers().results;
  Table table;
  table.id = "table-cost";
  table.title = "Cost of a run";
  table.note =
      "Wall-clock of training from run.json, over all resumes: mean ± SD over all runs. "
      "Overhead: against the baseline in the same environment, mean ± SD over "
      "environments. Runs that shared a machine slow each other down.";
  table.header = {"algorithm", "runs", "wall-clock", "steps per second", "overhead", "paper"};
  for (const std::size_t a : scene.algorithms) {
    std::vector<double> seconds, pace;
    for (std::size_t env = 0; env < results.environments.size(); ++env) {
      for (const std::size_t at : results.cell(env, a)) {
        const Run& run = results.runs[at];
        if (run.wall_seconds <= 0) continue;
        seconds.push_back(run.wall_seconds);
        if (const auto rate = run.steps_per_second()) pace.push_back(*rate);
      }
    }
    if (seconds.empty()) continue;
    const study::Algorithm& algorithm = results.algorithms[a];
    const PaperCost* paper = algorithm.aligned() ? paper_cost(algorithm.base) : nullptr;
    table.rows.push_back({{algorithm.label, "", false},
                          {std::to_string(seconds.size()), "", false},
                          {duration(statistics::mean(seconds)),
                           concat({"± ", duration(statistics::population_sd(seconds))}), false},
                          {pace.empty() ? "–" : significant(statistics::mean(pace), 3), "", false},
                          {overhead_text(overheads(results, a)), "", false},
                          {paper == nullptr ? "–" : paper->text, "", false}});
  }
  return table;
}

Table problems_table(const std::vector<study::Problem>& problems, study::ProblemKind kind) {
  Table table;
  const char* title = study::kProblemTitles[static_cast<std::size_t>(kind)];
  table.id = concat({"table-", file_name(title)});
  table.text_columns = {0, 1};
  table.header = {"where", "what"};
  for (const study::Problem& problem : problems) {
    if (problem.kind != kind) continue;
    table.rows.push_back({{problem.where, "", false}, {problem.what, "", false}});
  }
  table.title = plural(table.rows.size(), title);
  return table;
}

Table runs_table(const Results& results) {
  Table table;
  table.id = "table-runs";
  table.text_columns = {0, 1};
  table.header = {"folder",  "command",    "seed",    "status", "evaluations",
                  "resumes", "wall-clock", "started", "host",   "commit"};
  const auto info = [](const Run& run, const char* key) {
    const auto found = run.info.find(key);
    return found == run.info.end() ? "–" : found->second;
  };
  for (const Run& run : results.runs) {
    table.rows.push_back(
        {{run.folder.string(), "", false},
         {info(run, run.info.contains("reproduce") ? "reproduce" : "command"), "", false},
         {std::to_string(run.seed), "", false},
         {run.status ? name_of(*run.status) : "–", "", false},
         {std::to_string(run.mean_returns.size()), "", false},
         {std::to_string(run.resumes), "", false},
         {duration(run.wall_seconds), "", false},
         {info(run, "started"), "", false},
         {info(run, "host"), "", false},
         {info(run, "commit"), "", false}});
  }
  return table;
}

Table differing_settings_table(const Scene& scene) {
  const Results& results = *scene.numbers().results;
  Table table;
  table.id = "table-settings";
  table.title = "Settings that differ between algorithms";
  table.header = {"setting"};
  std::vector<std::vector<std::size_t>> runs;
  for (const std::size_t a : scene.algorithms) {
    table.header.push_back(scene.numbers().label(a));
    runs.emplace_back();
    for (std::size_t env = 0; env < results.environments.size(); ++env) {
      const auto& cell = results.cell(env, a);
      runs.back().insert(runs.back().end(), cell.begin(), cell.end());
    }
  }
  for (const std::string& key : all_keys(results)) {
    std::vector<TableCell> row = {{key, "", false}};
    for (const auto& of_algorithm : runs) {
      row.push_back({values_of(results, of_algorithm, key), "", false});
    }
    const bool differs = std::any_of(row.begin() + 1, row.end(), [&](const TableCell& cell) {
      return cell.text != row[1].text;
    });
    if (differs) table.rows.push_back(std::move(row));
  }
  return table;
}

Table shared_settings_table(const Results& results) {
  Table table;
  table.id = "table-shared";
  table.text_columns = {0, 1};
  table.header = {"setting", "value"};
  for (const std::string& key : all_keys(results)) {
    if (!is_shared(results, key)) continue;
    table.rows.push_back({{key, "", false}, {run_setting(results.runs.front(), key), "", false}});
  }
  return table;
}

Table builds_table(const Results& results) {
  Table table;
  table.id = "table-builds";
  table.title = "Versions and machines";
  table.text_columns = {0, 1};
  table.header = {"what", "value", "runs"};
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const Run& run : results.runs) {
    for (const auto& [key, value] : run.info) {
      const bool build = key == "version" || key == "commit" || key == "compiler" ||
                         key == "flags" || key == "cpu" || key == "gpu" ||
                         key.starts_with("libraries.");
      if (build && !value.empty()) ++counts[{key, value}];
    }
  }
  for (const auto& [fact, count] : counts) {
    table.rows.push_back(
        {{fact.first, "", false}, {fact.second, "", false}, {std::to_string(count), "", false}});
  }
  return table;
}

}  // namespace tarl::report
