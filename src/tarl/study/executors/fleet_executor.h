// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>

#include "tarl/study/executors/executor.h"
#include "tarl/study/executors/run_queue.h"

namespace tarl::study {

struct FleetOptions {
  int jobs = 0;     // agents on the GPU at a time; 0: one for each multiprocessor
  int retries = 3;  // of a run that failed, each from its last checkpoint
  std::optional<RunQueue::Company> company{};  // other fleets at work on the same runs
};

// Throws UsageError with the first run that no fleet can compute, and why. One whose margin is open
// is passed over: it is not known yet.
void refuse_what_no_fleet_runs(std::span<const PlannedRun> runs);

// All runs at once on this machine's GPU, in this process: each agent has a multiprocessor (or its
// turn on one) and a run folder like any other. A run that fails for good leaves the others alone.
// A stop request lets every run write its checkpoint first.
class FleetExecutor final : public Executor {
 public:
  explicit FleetExecutor(FleetOptions options) : options_(std::move(options)) {}

  std::string name() const override { return "fleet"; }

  // Throws UsageError, naming the run, where one cannot be run by a fleet, and Error where there is
  // no GPU that can, where as many as go on at once do not fit into its memory or the machine's,
  // and where an environment cannot be made.
  void check(std::span<const PlannedRun> runs) const override;

  // By what a fleet of as many agents as go on at once costs. Throws Error where there is no GPU.
  train::MarginRule margin_rule(std::size_t runs) const override;

  // Throws as check() does; nothing has been started then.
  Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) override;

 private:
  std::size_t agents_at_once(std::size_t runs) const;

  FleetOptions options_;
};

}  // namespace tarl::study
