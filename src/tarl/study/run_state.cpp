// SPDX-License-Identifier: MIT
#include "tarl/study/run_state.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/core/formats/npz.h"
#include "tarl/train/run_lock.h"

namespace tarl::study {

namespace {

// A file that is being replaced or is damaged only means that less is known.
void read_last_evaluation(const fs::path& file, RunState& state) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return;
  try {
    for (const auto& [name, tensor] : load_npz(file)) {
      if (tensor.count() == 0) continue;
      if (name == "timesteps") state.step = tensor.as<std::int64_t>().back();
      if (name == "results" && tensor.shape.size() == 2) {
        const auto episodes = static_cast<std::size_t>(tensor.shape[1]);
        double sum = 0;
        for (const double score : tensor.as<double>().last(episodes)) sum += score;
        state.score = sum / static_cast<double>(episodes);
      }
    }
  } catch (const std::exception&) {
    state.step = 0;
  }
}

std::optional<train::RunInfo> readable_info(const fs::path& file) {
  try {
    return train::load_run_info(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<train::RunStatus> written_status(const fs::path& folder) {
  const auto info = readable_info(folder / "run.json");
  return info ? std::optional(info->status) : std::nullopt;
}

RunState look_at(const PlannedRun& run) {
  RunState state;
  std::error_code unknown;
  if (!fs::exists(run.folder / "config.toml", unknown)) return state;
  state.phase = train::is_in_use(run.folder) ? RunPhase::kRunning : RunPhase::kStopped;
  read_last_evaluation(run.folder / "evaluations.npz", state);
  const auto info = readable_info(run.folder / "run.json");
  if (!info) return state;
  state.seconds = info->training_seconds;
  if (state.phase == RunPhase::kRunning) return state;
  if (info->status == train::RunStatus::kFinished &&
      fs::exists(run.folder / "model.safetensors", unknown)) {
    state.phase = RunPhase::kFinished;
    state.step = run.config.steps;
  } else if (info->status == train::RunStatus::kFailed) {
    state.phase = RunPhase::kFailed;
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
