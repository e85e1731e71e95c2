// SPDX-License-Identifier: MIT
#include "tarl/study/plan/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/fleet/device_run.h"
#include "tarl/store/run_files.h"
#include "tarl/study/results/run_state.h"
#include "tarl/train/extend.h"

namespace tarl::study {

namespace {

constexpr double kLongestMoment = 0.2;           // seconds of a measurement
constexpr double kLogBytesPerEvaluation = 2500;  // about: a row of CSV and of events
constexpr double kStatePerParameter = 4;         // networks, targets, two moments of the optimiser
constexpr double kGenerations = 2;

using Cell = std::pair<std::string, std::string>;  // environment, label

struct Measured {
  std::optional<train::RunCost> cost;
  std::string problem;
};

Measured measure_cell(const train::RunConfig& config, double seconds) {
  try {
    const ScratchFolder scratch("tarl-estimate");
    return {train::measure_cost(config, seconds, scratch.path()), ""};
  } catch (const Error& problem) {
    return {std::nullopt, problem.what()};
  }
}

std::map<Cell, Measured> measure_cells(std::span<const PlannedRun> runs, double seconds) {
  std::map<Cell, Measured> cells;
  for (const PlannedRun& run : runs) cells[{run.env, run.label}];
  const double each = std::min(
      kLongestMoment, seconds / static_cast<double>(std::max<std::size_t>(cells.size(), 1)));
  for (const PlannedRun& run : runs) {
    Measured& cell = cells[{run.env, run.label}];
    if (!cell.cost && cell.problem.empty()) cell = measure_cell(run.config, each);
  }
  return cells;
}

double core_seconds(const train::RunConfig& config, const train::RunCost& cost) {
  const auto warm_up = static_cast<double>(std::min(config.learning_starts, config.steps));
  return warm_up / cost.warm_up_steps_per_s +
         (static_cast<double>(config.steps) - warm_up) / cost.steps_per_s;
}

// For a replay as full as the run makes it.
double replay_bytes(const train::RunConfig& config, const train::RunCost& cost) {
  return cost.replay_bytes *
         std::min(1.0, static_cast<double>(config.steps) / static_cast<double>(config.buffer_size));
}

// With the least margin, where it is open.
void add_fleet(train::RunConfig config, Estimate& sum) {
  if (config.margin_is_open()) config.align.margin = 1;
  if (!fleet::why_not(config).empty()) return;
  const fleet::Needs needs = fleet::needs_of(config);
  sum.device_bytes = std::max(sum.device_bytes, needs.device_bytes);
  sum.device_host_bytes = std::max(sum.device_host_bytes, needs.host_bytes);
}

void add_run(const train::RunConfig& config, const train::RunCost& cost, Estimate& sum) {
  const double logs =
      static_cast<double>(train::evaluations_due(config, config.steps)) * kLogBytesPerEvaluation;
  const double checkpoints =
      replay_bytes(config, cost) + kGenerations * kStatePerParameter * cost.model_bytes;
  const auto raise = [](double& most, double value) { most = std::max(most, value); };
  raise(sum.run_memory_bytes, cost.replay_bytes + cost.agent_bytes);
  raise(sum.run_disk_bytes, checkpoints + cost.model_bytes + logs);
  sum.final_disk_bytes += cost.model_bytes + logs + (config.checkpoint.keep ? checkpoints : 0);
}

// "95 seconds", "2.5 hours"; of processors if a prefix says so.
std::string time_amount(double seconds, const char* prefix) {
  const auto [amount, unit] = seconds < 120    ? std::pair(seconds, "seconds")
                              : seconds < 7200 ? std::pair(seconds / 60, "minutes")
                                               : std::pair(seconds / 3600, "hours");
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %s%s", amount, prefix, unit);
  return text;
}

std::string time_text(double core_seconds, std::size_t together, bool on_gpu) {
  const std::string alone = "about " + time_amount(core_seconds, "core-");
  if (on_gpu) return "time: not estimated on a GPU; " + alone + " on processors like this one\n";
  std::string out = "time: " + alone;
  if (together > 1) {
    out += ", " + time_amount(core_seconds / static_cast<double>(together), "") + " with " +
           std::to_string(together) + " side by side";
  }
  return out + "; without evaluations, measured just now on a processor of this machine\n";
}

}  // namespace

Estimate estimate(std::span<const PlannedRun> runs, double seconds) {
  Estimate sum;
  sum.runs = runs.size();
  const std::map<Cell, Measured> cells = measure_cells(runs, seconds);
  for (const auto& [cell, measured] : cells) {
    if (!measured.cost) {
      sum.unmeasured.push_back(cell.second + " in " + cell.first + ": " + measured.problem);
    }
  }
  for (const PlannedRun& run : runs) {
    const auto steps = static_cast<double>(run.config.steps);
    const bool finished = look_at(run).phase == RunPhase::kFinished;
    const std::optional<train::RunCost>& cost = cells.at({run.env, run.label}).cost;
    sum.steps += steps;
    sum.finished += finished ? 1 : 0;
    if (cost) add_run(run.config, *cost, sum);
    add_fleet(run.config, sum);
    if (finished) continue;
    sum.steps_left += steps;
    if (cost) sum.core_seconds += core_seconds(run.config, *cost);
  }
  return sum;
}

std::string estimate_text(const Estimate& estimate, std::size_t at_once, bool on_gpu) {
  const std::size_t together =
      std::max<std::size_t>(1, std::min(at_once, estimate.runs - estimate.finished));
  char line[256];
  std::snprintf(line, sizeof line, ", %zu finished; %.0f steps, %.0f to go\n", estimate.finished,
                estimate.steps, estimate.steps_left);
  std::string out = plural(estimate.runs, "run") + line;
  out += time_text(estimate.core_seconds, together, on_gpu);
  out += "memory: up to " + fleet::bytes_text(estimate.run_memory_bytes) + " a run, " +
         fleet::bytes_text(estimate.run_memory_bytes * static_cast<double>(together)) + " for " +
         std::to_string(together) + " side by side\n";
  out += "disk: up to " + fleet::bytes_text(estimate.run_disk_bytes) +
         " a run while it trains, about " + fleet::bytes_text(estimate.final_disk_bytes) +
         " for all when they are finished\n";
  for (const std::string& one : estimate.unmeasured) out += "not in this estimate: " + one + "\n";
  return out;
}

}  // namespace tarl::study
