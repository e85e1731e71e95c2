// SPDX-License-Identifier: MIT
#include "tarl/study/fleet_executor.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/study/study_folder.h"
#include "tarl/train/run_lock.h"

namespace tarl::study {

namespace {

using Clock = std::chrono::steady_clock;
using fleet::FleetRun;

constexpr std::chrono::milliseconds kInUseDelay{500};
constexpr std::chrono::microseconds kIdle{200};

struct Job {
  const PlannedRun* run = nullptr;
  int attempts = 0;
  bool told_in_use = false;
  Clock::time_point not_before{};
  Clock::time_point started{};
  std::unique_ptr<FleetRun> work{};
};

// Runs and what became of them, shared by the threads that look after them.
class Board {
 public:
  explicit Board(std::span<const PlannedRun> runs) {
    for (const PlannedRun& run : runs) waiting_.push_back(Job{.run = &run});
  }

  std::optional<Job> take() {
    const std::lock_guard lock(mutex_);
    const auto ready = std::find_if(waiting_.begin(), waiting_.end(),
                                    [](const Job& job) { return Clock::now() >= job.not_before; });
    if (ready == waiting_.end()) return std::nullopt;
    Job job = std::move(*ready);
    waiting_.erase(ready);
    return job;
  }

  void put_back(Job job) {
    const std::lock_guard lock(mutex_);
    job.work.reset();
    waiting_.push_back(std::move(job));
  }

  void tell(RunEvent::Kind kind, const Job& job, std::string detail = "") {
    const double seconds = std::chrono::duration<double>(Clock::now() - job.started).count();
    const std::lock_guard lock(mutex_);
    events_.push_back({kind, job.run, std::move(detail), seconds});
  }

  std::vector<RunEvent> take_events() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }

  bool any_waiting() {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty();
  }

 private:
  std::mutex mutex_;
  std::deque<Job> waiting_;
  std::vector<RunEvent> events_;
};

// One thread that looks after some of the agents.
class Keeper {
 public:
  Keeper(Board& board, const FleetOptions& options, std::size_t most, const std::atomic<bool>& stop)
      : board_(board), options_(options), most_(most), stop_(stop) {}

  void run() {
    while (true) {
      if (!stop_) start_waiting();
      if (jobs_.empty() && (stop_ || !board_.any_waiting())) return;
      bool advanced = false;
      for (auto job = jobs_.begin(); job != jobs_.end();) {
        const bool over = look_after(*job, advanced);
        job = over ? jobs_.erase(job) : std::next(job);
      }
      if (!advanced) std::this_thread::sleep_for(kIdle);
    }
  }

 private:
  void start_waiting() {
    while (jobs_.size() < most_) {
      std::optional<Job> job = board_.take();
      if (!job) return;
      if (train::is_in_use(job->run->folder)) {
        if (!job->told_in_use) board_.tell(RunEvent::Kind::kInUse, *job);
        job->told_in_use = true;
        job->not_before = Clock::now() + kInUseDelay;
        board_.put_back(std::move(*job));
        return;
      }
      start(std::move(*job));
    }
  }

  void start(Job job) {
    job.started = Clock::now();
    ++job.attempts;
    try {
      prepare_run(*job.run);
      const fs::path log = job.run->folder / "train.log";
      job.work = std::make_unique<FleetRun>(
          job.run->config, job.run->folder,
          [&log](const std::string& line) { append_text(log, line + "\n"); });
      board_.tell(RunEvent::Kind::kStarted, job);
      jobs_.push_back(std::move(job));
    } catch (const std::exception& problem) {
      retry_or_give_up(std::move(job), problem.what(), false);
    }
  }

  // True when this keeper is done with the job.
  bool look_after(Job& job, bool& advanced) {
    try {
      switch (job.work->poll(stop_)) {
        case FleetRun::State::kBusy:
          return false;
        case FleetRun::State::kAdvanced:
          advanced = true;
          return false;
        case FleetRun::State::kFinished:
          job.work.reset();
          board_.tell(RunEvent::Kind::kFinished, job);
          return true;
        case FleetRun::State::kStopped:
          board_.tell(RunEvent::Kind::kStopped, job);
          board_.put_back(std::move(job));
          return true;
      }
    } catch (const NonFiniteError& problem) {
      retry_or_give_up(std::move(job), problem.what(), true);
    } catch (const std::exception& problem) {
      retry_or_give_up(std::move(job), problem.what(), false);
    }
    return true;
  }

  // A value that is not finite would come again.
  void retry_or_give_up(Job job, const std::string& why, bool hopeless) {
    job.work.reset();
    if (hopeless || job.attempts > options_.retries) {
      mark_failed(*job.run, why);
      board_.tell(RunEvent::Kind::kFailed, job, why);
      failed = true;
      return;
    }
    job.not_before = Clock::now() + std::chrono::seconds(job.attempts);
    board_.tell(RunEvent::Kind::kRetry, job, why);
    board_.put_back(std::move(job));
  }

 public:
  bool failed = false;

 private:
  Board& board_;
  const FleetOptions& options_;
  std::size_t most_;
  const std::atomic<bool>& stop_;
  std::list<Job> jobs_;
};

void refuse_what_cannot_run(std::span<const PlannedRun> runs) {
  for (const PlannedRun& run : runs) {
    const std::string reason = fleet::why_not(run.config);
    if (!reason.empty()) {
      throw UsageError(run.name() + ": " + reason + "; use --executor local for it");
    }
  }
}

}  // namespace

Execution FleetExecutor::execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) {
  refuse_what_cannot_run(runs);
  const fleet::DeviceInfo device = fleet::device_info();
  if (!device.found) {
    throw Error("no GPU for --executor fleet: CUDA is " + device.text +
                "; use --executor local to run on the CPU");
  }
  const auto agents =
      std::min(runs.size(),
               static_cast<std::size_t>(options_.jobs > 0 ? options_.jobs : device.agents_at_once));
  const auto threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                               std::max<std::size_t>(agents, 1));
  Board board(runs);
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> at_work{threads};
  std::vector<std::unique_ptr<Keeper>> keepers;
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t most = agents / threads + (i < agents % threads ? 1 : 0);
    keepers.push_back(std::make_unique<Keeper>(board, options_, most, stop));
    pool.emplace_back([&, keeper = keepers.back().get()] {
      keeper->run();
      --at_work;
    });
  }
  const auto drain = [&] {
    for (const RunEvent& event : board.take_events()) hooks.event(event);
  };
  while (at_work > 0) {
    if (hooks.pause(kTick) > 0) stop = true;
    drain();
    hooks.tick();
  }
  for (std::thread& thread : pool) thread.join();
  drain();
  if (board.any_waiting()) return Execution::kStopped;
  const bool failed = std::any_of(keepers.begin(), keepers.end(),
                                  [](const auto& keeper) { return keeper->failed; });
  return failed ? Execution::kFailed : Execution::kFinished;
}

}  // namespace tarl::study
