// SPDX-License-Identifier: MIT
#include "tarl/study/results/run_state.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/statistics/descriptive.h"
#include "tarl/store/evaluations.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_info.h"
#include "tarl/store/run_lock.h"

namespace tarl::study {

namespace {

// A file that is being replaced or damaged only means missing information.
void read_last_evaluation(const fs::path& file, RunState& state) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return;
  try {
    const store::Evaluations evaluations = store::read_evaluations(file);
    if (evaluations.count() == 0) return;
    state.step = evaluations.timesteps.back();
    state.score = statistics::mean(evaluations.returns_of(evaluations.count() - 1));
  } catch (const std::exception&) {
    state.step = 0;
  }
}

std::optional<store::RunInfo> readable_info(const fs::path& file) {
  try {
    return store::load_run_info(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<store::RunStatus> written_status(const fs::path& folder) {
  const auto info = readable_info(folder / store::kInfoFile);
  return info ? std::optional(info->status) : std::nullopt;
}

RunPhase phase_of(bool in_use, const std::optional<store::RunStatus>& written) {
  if (in_use) return RunPhase::kRunning;
  if (written == store::RunStatus::kFinished) return RunPhase::kFinished;
  return written == store::RunStatus::kFailed ? RunPhase::kFailed : RunPhase::kStopped;
}

RunState look_at(const PlannedRun& run) {
  RunState state;
  std::error_code unknown;
  if (!fs::exists(run.folder / store::kConfigFile, unknown)) return state;
  const bool in_use = store::is_in_use(run.folder);
  read_last_evaluation(run.folder / store::kEvaluationsFile, state);
  const auto info = readable_info(run.folder / store::kInfoFile);
  state.phase = phase_of(in_use, info ? std::optional(info->status) : std::nullopt);
  if (!info) return state;
  state.seconds = info->training_seconds;
  if (state.phase == RunPhase::kFinished) {
    if (fs::exists(run.folder / store::kModelFile, unknown)) {
      state.step = run.config.steps;
    } else {
      state.phase = RunPhase::kStopped;
    }
  } else if (state.phase == RunPhase::kFailed) {
    state.error = info->error;
  }
  return state;
}

std::int64_t Survey::count(RunPhase phase) const {
  return std::count_if(states.begin(), states.end(),
                       [phase](const RunState& state) { return state.phase == phase; });
}

Survey survey(std::span<const PlannedRun> runs) {
  Survey all;
  for (const PlannedRun& run : runs) {
    const RunState& state = all.states.emplace_back(look_at(run));
    if (state.phase == RunPhase::kFailed) continue;
    all.steps_done += static_cast<double>(state.step);
    all.steps_total += static_cast<double>(run.config.steps);
  }
  return all;
}

const char* phase_name(RunPhase phase) {
  switch (phase) {
    case RunPhase::kMissing:
      return "missing";
    case RunPhase::kStopped:
      return "stopped";
    case RunPhase::kRunning:
      return "running";
    case RunPhase::kFinished:
      return "done";
    case RunPhase::kFailed:
      return "failed";
  }
  return "unknown";
}

}  // namespace tarl::study
