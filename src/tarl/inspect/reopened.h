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

// A run in memory as its newest checkpoint has it. Its folder is read once, and never written.
class Reopened {
 public:
  // Throws UsageError where there is no checkpoint, or none of a run that has learned.
  explicit Reopened(const Request& request);
  Reopened(const Reopened&) = delete;
  Reopened& operator=(const Reopened&) = delete;

  const train::RunConfig& config() const { return config_; }

  const rl::EnvSpec& spec() const { return loop_.spec(); }

  train::Loop& loop() { return loop_; }

  train::Learner& learner() { return loop_.learner(); }

  std::int64_t step() const { return loop_.step(); }

  std::int64_t candidates() const { return config_.batch_size + config_.oversampling(); }

  // Of the update that would come next, as a trace counts it: 1 comes right after a copy.
  std::int64_t lag() { return learner().updates_since_sync() + 1; }

  // Whether targets are copies and not blends, and how long one stays: environment steps, updates.
  bool copies_target() const { return config_.tau == 1.0; }

  std::int64_t period_steps() const;
  std::int64_t period_updates() const;

  std::int64_t updates_at_once() const;  // most between two states that can be looked at

  // Whether the next update sees a newer target than the one there is now.
  bool target_moves_first() const;

  // What the learner would draw now; of several looks at one state each has a `number`, from 1.
  store::Trace look(std::int64_t number, Rng& sample_rng, Rng& noise_rng);

  // Trains, as the run would, until a state at which that holds.
  void go_on(const std::function<bool()>& until);

 private:
  Reopened(const Request& request, train::RunConfig config);
  Reopened(const Request& request, const train::RunConfig& config, const store::Loaded& checkpoint);

  void check() const;

  const train::RunConfig config_;  // without evaluations and logs, and long enough
  Team team_;
  store::RunLogs logs_;  // of no folder
  train::Loop loop_;
};

}  // namespace tarl::inspect
