// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tarl/store/monitor_csv.h"
#include "tarl/study/results/run.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {

// A run's settings as they would be without changes.
struct Preset {
  std::string name;   // "minatar/paper"
  std::string note;   // why it is not the one the run was started with; usually empty
  Settings settings;  // empty: unknown
};

// Everything in the folder of one run.
struct RunRecord {
  fs::path folder;
  Run run;
  std::string label;  // "TA-DQN+PER"
  RunPhase phase = RunPhase::kStopped;
  std::int64_t step = 0;  // reached
  store::Episodes episodes;
  Preset preset;
};

// Reads what exists; unreadable files are noted in run.damage. Throws Error if the folder holds no
// run or its settings cannot be read.
RunRecord read_run_record(const fs::path& folder);

// The preset a run was started with: the one of --preset in its command if that is built in,
// otherwise the default.
Preset preset_of(const Run& run);

}  // namespace tarl::study
