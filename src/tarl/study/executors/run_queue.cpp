// SPDX-License-Identifier: MIT
#include "tarl/study/executors/run_queue.h"

#include <utility>

#include "tarl/store/run_lock.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::study {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInUseDelay{500};

}  // namespace

RunQueue::RunQueue(std::span<const PlannedRun> runs, Retries retries) : retries_(retries) {
  for (const PlannedRun& run : runs) waiting_.push_back({.run = &run});
}

std::optional<Attempt> RunQueue::take() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  for (auto next = waiting_.begin(); next != waiting_.end(); ++next) {
    if (now < next->not_before) continue;
    const Attempt attempt{next->run, next->attempts + 1, now};
    if (!store::is_in_use(next->run->folder)) {
      waiting_.erase(next);
      return attempt;
    }
    if (!std::exchange(next->told_in_use, true)) tell(RunEvent::Kind::kInUse, attempt);
    next->not_before = now + kInUseDelay;
  }
  return std::nullopt;
}

void RunQueue::started(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  tell(RunEvent::Kind::kStarted, attempt);
}

void RunQueue::finished(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  tell(RunEvent::Kind::kFinished, attempt);
}

void RunQueue::stopped(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({.run = attempt.run, .attempts = attempt.number});
  tell(RunEvent::Kind::kStopped, attempt);
}

void RunQueue::failed(const Attempt& attempt, const std::string& why, bool hopeless) {
  const std::lock_guard lock(mutex_);
  if (hopeless || attempt.number > retries_.most) {
    any_given_up_ = true;
    mark_failed(*attempt.run, why);
    tell(RunEvent::Kind::kFailed, attempt, why);
    return;
  }
  waiting_.push_back({.run = attempt.run,
                      .attempts = attempt.number,
                      .not_before = Clock::now() + retries_.delay * attempt.number});
  tell(RunEvent::Kind::kRetry, attempt, why);
}

std::vector<RunEvent> RunQueue::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

bool RunQueue::any_waiting() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

Execution RunQueue::outcome() const {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) return Execution::kStopped;
  return any_given_up_ ? Execution::kFailed : Execution::kFinished;
}

void RunQueue::tell(RunEvent::Kind kind, const Attempt& attempt, std::string detail) {
  const double seconds = std::chrono::duration<double>(Clock::now() - attempt.started).count();
  events_.push_back({kind, attempt.run, std::move(detail), seconds});
}

}  // namespace tarl::study
