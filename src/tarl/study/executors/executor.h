// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "tarl/study/plan/grid.h"
#include "tarl/train/margin.h"

namespace tarl::study {

// Something that happened to a run.
struct RunEvent {
  enum class Kind { kStarted, kFinished, kRetry, kFailed, kStopped, kInUse };
  Kind kind = Kind::kStarted;
  const PlannedRun* run = nullptr;
  std::string detail;     // why, for kRetry and kFailed
  double seconds = 0;     // since it was started
  bool hopeless = false;  // kFailed: it would end the same way again
};

inline constexpr std::chrono::milliseconds kTick{200};  // how often executors poll

// Callbacks of an executor.
struct ExecutionHooks {
  // Sleeps up to that long, or until a child ends. Returns how often the user has asked to stop:
  // once requests an orderly stop, twice an immediate one.
  std::function<int(std::chrono::milliseconds)> pause;
  std::function<void(const RunEvent&)> event;
  std::function<void()> tick;  // a few times a second, to redraw
};

enum class Execution {
  kFinished,   // every run is done
  kFailed,     // some were given up, the others are done
  kStopped,    // the user stopped it; run again to continue
  kSubmitted,  // handed over to others
};

// Computes runs to completion: on this machine, a cluster, a GPU. It gets the unfinished runs with
// resolved settings; their state is in their folders, so that any executor can continue what
// another began.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;

  // Throws UsageError or Error where this machine cannot run them; before anything is written.
  virtual void check(std::span<const PlannedRun>) const {}

  // How the open margins of so many runs are chosen. Throws Error where this machine cannot tell.
  virtual train::MarginRule margin_rule(std::size_t) const { return train::processor_margins(); }

  virtual Execution execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) = 0;
};

}  // namespace tarl::study
