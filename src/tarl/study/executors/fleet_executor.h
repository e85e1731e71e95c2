// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/study/executors/executor.h"

namespace tarl::study {

struct FleetOptions {
  int jobs = 0;     // agents on the GPU at a time; 0: one for each multiprocessor
  int retries = 3;  // of a run that failed, each from its last checkpoint
};

// All runs at once on this machine's GPU, in this process: each agent has a multiprocessor (or its
// turn on one) and a run folder like any other. A run that fails for good leaves the others alone.
// A stop request lets every run write its checkpoint first.
class FleetExecutor final : public Executor {
 public:
  explicit FleetExecutor(FleetOptions options) : options_(options) {}

  std::string name() const override { return "fleet"; }

  // By what a fleet of as many agents as go on at once costs. Throws Error where there is no GPU.
  train::MarginRule margin_rule(std::size_t runs) const override;

  // Throws UsageError, naming the run, where one cannot be run by a fleet, and Error where there is
  // no GPU; nothing has been started then.
  Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) override;

 private:
  std::size_t agents_at_once(std::size_t runs) const;

  FleetOptions options_;
};

}  // namespace tarl::study
