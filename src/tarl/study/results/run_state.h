// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/store/run_info.h"
#include "tarl/study/plan/grid.h"

namespace tarl::study {

enum class RunPhase {
  kMissing,  // not begun
  kStopped,  // begun, nobody works on it, can be continued
  kRunning,  // a process holds its folder
  kFinished,
  kFailed,  // ended with an error; trying again is the user's choice
};

// What a run's folder tells, cheap enough to ask every second.
struct RunState {
  RunPhase phase = RunPhase::kMissing;
  std::int64_t step = 0;  // of the last evaluation
  double score = 0;       // mean return of the last evaluation
  double seconds = 0;     // spent training, over all resumes, as last written
  std::string error;      // why it failed
};

RunState look_at(const PlannedRun& run);

// Of a run that is there, from its lock and what run.json says; ask for the lock first, since a run
// writes its end before it lets go. Takes a run's word for it that it is finished, where look_at
// also wants its model.
RunPhase phase_of(bool in_use, const std::optional<store::RunStatus>& written);

// What run.json says; nothing if it cannot be read.
std::optional<store::RunStatus> written_status(const fs::path& folder);

// All runs of a study taken together.
struct Survey {
  std::vector<RunState> states;  // in the order of the runs
  std::int64_t count(RunPhase phase) const;
  double steps_done = 0;
  double steps_total = 0;  // of runs that have not failed
};

Survey survey(std::span<const PlannedRun> runs);

const char* phase_name(RunPhase phase);  // "done", "running", "failed", ...

}  // namespace tarl::study
