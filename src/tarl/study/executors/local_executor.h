// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/study/executors/executor.h"

namespace tarl::study {

struct LocalOptions {
  int jobs = 0;     // concurrent runs; 0: one per processor
  bool pin = true;  // pin each to its own processor, if there are enough
  int retries = 3;  // of a run that crashed or was killed, each from its last checkpoint
  std::chrono::milliseconds retry_delay{1000};  // longer with each retry
  std::vector<std::string> program;             // gets `train` and its options appended
};

// Runs as child processes on this machine; their output goes to train.log beside their other files.
// A run that fails for good leaves the others alone. A stop request lets every child write its
// checkpoint first.
class LocalExecutor final : public Executor {
 public:
  explicit LocalExecutor(LocalOptions options);

  std::string name() const override { return "local"; }

  Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) override;

 private:
  LocalOptions options_;
};

}  // namespace tarl::study
