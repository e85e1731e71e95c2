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
  kStopped,  // begun, no process works on it, can be continued
  kRunning,  // a process holds its folder
  kFinished,
  kFailed,  // ended with an error; retrying is the user's choice
};

// The state of a run according to its folder, cheap enough to read every second.
struct RunState {
  RunPhase phase = RunPhase::kMissing;
  std::int64_t step = 0;  // of the last evaluation
  double score = 0;       // mean return of the last evaluation
  double seconds = 0;     // spent training, over all resumes, as last written
  std::string error;      // why it failed
};

RunState look_at(const PlannedRun& run);

// For an existing run, from its lock and run.json; check the lock first, since a run records its
// end before it releases the lock. Trusts a status of finished, where look_at also requires the
// model.
RunPhase phase_of(bool in_use, const std::optional<store::RunStatus>& written);

// The content of run.json; nothing if it cannot be read.
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
