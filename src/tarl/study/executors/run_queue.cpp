// SPDX-License-Identifier: MIT
#include "tarl/study/executors/run_queue.h"

#include <algorithm>
#include <utility>

#include "tarl/store/run_lock.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::study {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInUseDelay{500};
constexpr std::chrono::milliseconds kCompanyDelay{2000};  // their folders may be far away

}  // namespace

RunQueue::RunQueue(std::span<const PlannedRun> runs, Retries retries,
                   std::optional<Company> company)
    : retries_(retries), company_(std::move(company)) {
  for (const PlannedRun& run : runs) waiting_.push_back({.run = &run});
}

std::optional<Attempt> RunQueue::take() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (now < next->not_before) {
      ++next;
    } else if (is_held(*next->run)) {
      pass_over(*next++, now);
    } else if (company_ && company_->has_ended(*next->run)) {
      next = waiting_.erase(next);
    } else {
      const Attempt attempt{next->run, next->attempts + 1, now};
      waiting_.erase(next);
      ++under_way_;
      return attempt;
    }
  }
  return std::nullopt;
}

bool RunQueue::is_held(const PlannedRun& run) const {
  return company_ ? company_->holds(run) : store::is_in_use(run.folder);
}

void RunQueue::pass_over(Waiting& run, Clock::time_point now) {
  run.held = true;
  run.not_before = now + (company_ ? kCompanyDelay : kInUseDelay);
  if (company_ || std::exchange(run.told_in_use, true)) return;
  tell(RunEvent::Kind::kInUse, {run.run, run.attempts + 1, now});
}

// What others held is looked at once more before we leave it to them.
void RunQueue::end_attempt() {
  if (--under_way_ > 0 || !company_) return;
  for (Waiting& run : waiting_) {
    if (std::exchange(run.held, false)) run.not_before = {};
  }
}

void RunQueue::put_back(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  end_attempt();
  waiting_.push_back({.run = attempt.run, .attempts = attempt.number - 1});
  pass_over(waiting_.back(), Clock::now());
}

void RunQueue::started(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  tell(RunEvent::Kind::kStarted, attempt);
}

void RunQueue::finished(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  end_attempt();
  tell(RunEvent::Kind::kFinished, attempt);
}

void RunQueue::stopped(const Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  end_attempt();
  waiting_.push_back({.run = attempt.run, .attempts = attempt.number});
  tell(RunEvent::Kind::kStopped, attempt);
}

void RunQueue::failed(const Attempt& attempt, const std::string& why, bool hopeless) {
  const std::lock_guard lock(mutex_);
  end_attempt();
  if (hopeless || attempt.number > retries_.most) {
    any_given_up_ = true;
    mark_failed(*attempt.run, why);
    tell(RunEvent::Kind::kFailed, attempt, why, hopeless);
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
  return std::any_of(waiting_.begin(), waiting_.end(), [this](const Waiting& run) {
    return !company_ || under_way_ > 0 || !run.held;
  });
}

Execution RunQueue::outcome() const {
  const std::lock_guard lock(mutex_);
  const bool all_left = std::all_of(waiting_.begin(), waiting_.end(),
                                    [this](const Waiting& run) { return company_ && run.held; });
  if (!all_left) return Execution::kStopped;
  return any_given_up_ ? Execution::kFailed : Execution::kFinished;
}

void RunQueue::tell(RunEvent::Kind kind, const Attempt& attempt, std::string detail,
                    bool hopeless) {
  const double seconds = std::chrono::duration<double>(Clock::now() - attempt.started).count();
  events_.push_back({kind, attempt.run, std::move(detail), seconds, hopeless});
}

}  // namespace tarl::study
