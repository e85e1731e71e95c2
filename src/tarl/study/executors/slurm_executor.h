// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/study/executors/executor.h"

namespace tarl::study {

struct SlurmOptions {
  fs::path out;  // the study's folder, seen by all nodes
  std::string job_name = "tarl";
  int jobs = 0;                          // tasks at a time; 0: as many as Slurm allows
  int retries = 3;                       // of a run that crashed, each from its last checkpoint
  bool wait = false;                     // stay until every run has ended
  std::vector<std::string> sbatch;       // further arguments: partition, time limit, memory, ...
  fs::path program;                      // what each task gives `train` and its options to
  std::vector<std::string> arguments{};  // of the program, in front of them
};

// Runs as tasks of a Slurm job array. A task that is told to stop (time limit, preemption) writes
// its checkpoint, exits with 75 and is put back into the queue; one that is cancelled stays so.
// Files: <out>/slurm/<n>.sh, <n>.runs and <n>.job, the job's number.
class SlurmExecutor final : public Executor {
 public:
  explicit SlurmExecutor(SlurmOptions options);

  std::string name() const override { return "slurm"; }

  // Throws Error where Slurm is not there or an earlier array is still at work on this study.
  Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) override;

 private:
  SlurmOptions options_;
};

// The array jobs of a study that Slurm still knows, or cannot tell about.
std::vector<std::string> live_slurm_jobs(const fs::path& out);

// The script that each task of an array runs.
std::string slurm_script(const fs::path& program, const fs::path& runs_file, int retries,
                         const std::vector<std::string>& arguments = {});

}  // namespace tarl::study
