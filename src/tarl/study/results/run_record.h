// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tarl/store/monitor_csv.h"
#include "tarl/study/results/run.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {

// What a run's settings would be, had nobody changed any.
struct Preset {
  std::string name;   // "minatar/paper"
  std::string note;   // why it is not the one the run was started with; mostly empty
  Settings settings;  // empty: not known
};

// Everything that the folder of one run tells.
struct RunRecord {
  fs::path folder;
  Run run;
  std::string label;  // "TA-DQN+PER"
  RunPhase phase = RunPhase::kStopped;
  std::int64_t step = 0;  // reached
  store::Episodes episodes;
  Preset preset;
};

// Reads what is there; what cannot be read is noted in run.damage. Throws Error if the folder
// holds no run or its settings cannot be read.
RunRecord read_run_record(const fs::path& folder);

// The preset a run was started with: that of --preset in its command where that is a built-in one,
// otherwise the one used when none is named.
Preset preset_of(const Run& run);

}  // namespace tarl::study
