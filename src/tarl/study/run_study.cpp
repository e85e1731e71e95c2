// SPDX-License-Identifier: MIT
#include "tarl/study/run_study.h"

#include <atomic>
#include <exception>
#include <optional>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/executors/signal_queue.h"
#include "tarl/study/plan/margins.h"
#include "tarl/study/results/random_policy.h"

namespace tarl::study {

namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Measures the random scores while the runs are made.
class RandomScoreThread {
 public:
  RandomScoreThread(const fs::path& out, std::span<const PlannedRun> runs)
      : thread_([this, out, runs] { work(out, runs); }) {}

  ~RandomScoreThread() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  RandomScoreThread(const RandomScoreThread&) = delete;
  RandomScoreThread& operator=(const RandomScoreThread&) = delete;

  bool done() const { return done_; }

  // Waits for the end and throws what went wrong.
  void finish() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work(const fs::path& out, std::span<const PlannedRun> runs) {
    try {
      measure_random_scores(out, runs, [this] { return stop_.load(std::memory_order_relaxed); });
    } catch (...) {
      failure_ = std::current_exception();
    }
    done_ = true;
  }

  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

std::vector<PlannedRun> unfinished(std::span<const PlannedRun> runs, const Survey& survey) {
  std::vector<PlannedRun> left;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (survey.states[i].phase != RunPhase::kFinished) left.push_back(runs[i]);
  }
  return left;
}

}  // namespace

Execution run_study(const Study& asked, const fs::path& out, Executor& executor,
                    const StudyWatcher& watcher) {
  // What cannot be is refused before anything is touched.
  const std::vector<PlannedRun> planned = plan(asked, out);
  executor.check(unfinished(planned, survey(planned)));
  train::MarginRule margins;
  if (!open_margins(asked, out).empty()) margins = executor.margin_rule(planned.size());
  std::optional<SignalQueue> signals;  // before any thread: they all leave signals to this one
  if (!watcher.pause) signals.emplace();
  const auto pause = [&](std::chrono::milliseconds longest) {
    return signals ? signals->pause(longest) : watcher.pause(longest);
  };
  make_directories(out);
  const store::RunLock lock(out);
  const Study study = with_margins(asked, out, watcher.notice, margins);
  const std::vector<PlannedRun> runs = plan(study, out);
  join_folder(out, study);
  const Survey before = survey(runs);
  const StudySession session{executor.name(), seconds_since_1970(), before.steps_done};
  save_session(out, session);
  if (watcher.begun) watcher.begun(runs, before, session);

  RandomScoreThread random_scores(out, runs);
  const std::vector<PlannedRun> left = unfinished(runs, before);
  const Execution result =
      executor.execute(left, {.pause = pause,
                              .event = watcher.event ? watcher.event : [](const RunEvent&) {},
                              .tick = watcher.tick ? watcher.tick : [] {}});
  if (result == Execution::kStopped) return result;
  while (!random_scores.done()) {
    if (pause(kTick) > 0) return Execution::kStopped;
  }
  random_scores.finish();
  return result;
}

}  // namespace tarl::study
