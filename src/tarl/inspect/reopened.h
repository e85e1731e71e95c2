// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "tarl/core/threads.h"
#include "tarl/inspect/candidates.h"
#include "tarl/store/checkpoint.h"
#include "tarl/store/logs.h"
#include "tarl/train/loop.h"

namespace tarl::inspect {

// A run in memory, restored from its newest checkpoint. Its folder is read once, and never written.
class Reopened {
 public:
  // Throws UsageError if there is no checkpoint, or none of a run that has learned.
  explicit Reopened(const Request& request);
  Reopened(const Reopened&) = delete;
  Reopened& operator=(const Reopened&) = delete;

  const train::RunConfig& config() const { return config_; }

  const rl::EnvSpec& spec() const { return loop_.spec(); }

  train::Loop& loop() { return loop_; }

  train::Learner& learner() { return loop_.learner(); }

  std::int64_t step() const { return loop_.step(); }

  std::int64_t candidates() const { return config_.batch_size + config_.oversampling(); }

  // The lag of the next update, counted as in traces: 1 right after a copy.
  std::int64_t lag() { return learner().updates_since_sync() + 1; }

  // Whether targets are copied, not blended, and how long a copy lasts: environment steps, updates.
  bool copies_target() const { return config_.tau == 1.0; }

  std::int64_t period_steps() const;
  std::int64_t period_updates() const;

  std::int64_t updates_at_once() const;  // the most between two states that can be inspected

  // Whether the target is synced before the next update.
  bool target_moves_first() const;

  // What the learner would draw now; several looks at one state are numbered from 1.
  store::Trace look(std::int64_t number, Rng& sample_rng, Rng& noise_rng);

  // Trains, as the run would, until the condition holds.
  void go_on(const std::function<bool()>& until);

 private:
  Reopened(const Request& request, const train::RunConfig& config);
  Reopened(const Request& request, const train::RunConfig& config, const store::Loaded& checkpoint);

  void check() const;

  const train::RunConfig config_;  // without evaluations and logs, and long enough
  Team team_;
  store::RunLogs logs_;  // of no folder
  train::Loop loop_;
};

}  // namespace tarl::inspect
