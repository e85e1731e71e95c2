// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/study/executors/executor.h"

namespace tarl::study {

// What a task of a Slurm array on GPUs does.
struct FleetShare {
  fs::path out;                     // the study's folder
  fs::path runs;                    // the array's list of run folders, one a line
  std::size_t task = 0, tasks = 1;  // which share, of how many
  int jobs = 0, retries = 3;        // as FleetOptions
};

// The runs of an array in the order in which a task takes them: its own share, then those of the
// tasks after it, round to those before it. Throws Error where the study has changed since.
std::vector<PlannedRun> runs_for_task(const FleetShare& share);

// A share as a fleet on this machine's GPU. What other tasks hold is left to them; what they left
// when they died or were put back into the queue, and have not begun when this share is done, is
// taken over. Runs that ended with values that are not finite are noted beside the list, for all
// tasks of the array.
class FleetShareExecutor final : public Executor {
 public:
  explicit FleetShareExecutor(FleetShare share) : share_(std::move(share)) {}

  std::string name() const override { return "fleet"; }

  // Throws as FleetExecutor does.
  Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) override;

  // After execute() has returned kFailed: whether every run that was given up would fail again.
  bool hopeless() const { return hopeless_; }

 private:
  const FleetShare share_;
  bool hopeless_ = true;
};

}  // namespace tarl::study
