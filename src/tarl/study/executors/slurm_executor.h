// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/study/executors/executor.h"
#include "tarl/study/executors/slurm_script.h"

namespace tarl::study {

struct SlurmOptions {
  fs::path out;  // the study's folder, visible to all nodes
  std::string job_name = "tarl";
  int jobs = 0;                          // concurrent tasks; 0: as many as Slurm allows
  int retries = 3;                       // of a run that crashed, each from its last checkpoint
  bool wait = false;                     // wait until every run has ended
  std::vector<std::string> sbatch;       // further arguments: partition, time limit, memory, ...
  fs::path program;                      // what each task starts
  std::vector<std::string> arguments{};  // of the program, in front of the verb

  // Each task has a GPU and takes a share of the runs onto it as a fleet: at most runs_per_task at
  // once, in so many tasks. Where one of the two is 0, it follows from the other.
  bool on_gpus = false;
  std::size_t runs_per_task = 0, tasks = 0;
};

// Runs as tasks of a Slurm job array, one a task on processors, shares of them on GPUs. A task that
// is told to stop (time limit, preemption) writes its checkpoints, exits with 75 and is put back
// into the queue; one that is cancelled stays so. Files: <out>/slurm/<n>.sh, <n>.runs and <n>.job,
// the job's number; <n>.failed, runs that no task tries again.
class SlurmExecutor final : public Executor {
 public:
  explicit SlurmExecutor(SlurmOptions options);

  std::string name() const override { return "slurm"; }

  // Throws UsageError where a run is not for a fleet that should be, or an array cannot have as
  // many tasks.
  void check(std::span<const PlannedRun> runs) const override;

  // On GPUs by what a fleet costs here. Throws Error where this machine has none.
  train::MarginRule margin_rule(std::size_t runs) const override;

  // Throws Error where Slurm is not there or an earlier array is still at work on this study.
  Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) override;

 private:
  SlurmOptions options_;
};

// How so many runs are divided. Throws UsageError where an array cannot have as many tasks.
SlurmShares shares_of(const SlurmOptions& options, std::size_t runs);

// What execute() would do for this number of runs, as text: the tasks' script and the command that
// submits it. Touches nothing.
std::string slurm_preview(const SlurmOptions& options, std::size_t runs);

}  // namespace tarl::study
