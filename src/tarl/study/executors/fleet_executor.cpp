// SPDX-License-Identifier: MIT
#include "tarl/study/executors/fleet_executor.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/benchmark.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/executors/run_queue.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::study {

namespace {

using fleet::FleetRun;

constexpr std::chrono::microseconds kIdle{200};

struct Job {
  Attempt attempt;
  std::unique_ptr<FleetRun> work;
};

// One thread that looks after some of the agents.
class Keeper {
 public:
  Keeper(RunQueue& queue, std::size_t most, const std::atomic<bool>& stop)
      : queue_(queue), most_(most), stop_(stop) {}

  void run() {
    while (true) {
      if (!stop_) start_waiting();
      if (jobs_.empty() && (stop_ || !queue_.any_waiting())) return;
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
      const std::optional<Attempt> attempt = queue_.take();
      if (!attempt) return;
      start(*attempt);
    }
  }

  void start(const Attempt& attempt) {
    const PlannedRun& run = *attempt.run;
    try {
      prepare_run(run);
      const auto note = [log = run.folder / store::kTrainLog](const std::string& line) {
        append_text(log, line + "\n");
      };
      jobs_.push_back({attempt, std::make_unique<FleetRun>(run.config, run.folder, note)});
      queue_.started(attempt);
    } catch (const std::exception& problem) {
      if (store::is_in_use(run.folder)) {
        queue_.put_back(attempt);
      } else {
        queue_.failed(attempt, problem.what(), false);
      }
    }
  }

  // True when this keeper is done with the job, whose folder is free again then.
  bool look_after(Job& job, bool& advanced) {
    try {
      const FleetRun::State state = job.work->poll(stop_);
      if (state == FleetRun::State::kBusy) return false;
      if (state == FleetRun::State::kAdvanced) {
        advanced = true;
        return false;
      }
      job.work.reset();
      if (state == FleetRun::State::kFinished) queue_.finished(job.attempt);
      if (state == FleetRun::State::kStopped) queue_.stopped(job.attempt);
    } catch (const std::exception& problem) {
      job.work.reset();
      // A value that is not finite would come again.
      const bool hopeless = dynamic_cast<const NonFiniteError*>(&problem) != nullptr;
      queue_.failed(job.attempt, problem.what(), hopeless);
    }
    return true;
  }

  RunQueue& queue_;
  std::size_t most_;
  const std::atomic<bool>& stop_;
  std::list<Job> jobs_;
};

}  // namespace

void refuse_what_no_fleet_runs(std::span<const PlannedRun> runs) {
  for (const PlannedRun& run : runs) {
    const std::string reason = run.config.margin_is_open() ? "" : fleet::why_not(run.config);
    if (!reason.empty()) {
      throw UsageError(run.name() + ": " + reason + "; use --executor local for it");
    }
  }
}

void FleetExecutor::check(std::span<const PlannedRun> runs) const {
  refuse_what_no_fleet_runs(runs);
  if (runs.empty()) return;
  agents_at_once(runs.size());
  const fleet::DeviceInfo device = fleet::device_info();
  for (const PlannedRun& run : runs) {
    if (run.config.margin_is_open()) continue;
    const std::string reason = fleet::why_not_here(run.config, device);
    if (!reason.empty()) {
      throw Error(run.name() + ": " + reason + "; use --executor local to run it on the CPU");
    }
  }
}

std::size_t FleetExecutor::agents_at_once(std::size_t runs) const {
  const fleet::DeviceInfo device = fleet::device_info();
  if (!device.found) {
    throw Error("no GPU for --executor fleet: CUDA is " + device.text +
                "; use --executor local to run on the CPU");
  }
  return std::min(
      runs, static_cast<std::size_t>(options_.jobs > 0 ? options_.jobs : device.agents_at_once));
}

train::MarginRule FleetExecutor::margin_rule(std::size_t runs) const {
  return fleet::fleet_margins(static_cast<int>(agents_at_once(runs)));
}

Execution FleetExecutor::execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) {
  check(runs);
  const std::size_t agents = agents_at_once(runs.size());
  const auto threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                               std::max<std::size_t>(agents, 1));
  RunQueue queue(runs, {options_.retries, std::chrono::seconds(1)}, options_.company);
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> at_work{threads};
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t most = agents / threads + (i < agents % threads ? 1 : 0);
    pool.emplace_back([&queue, &stop, &at_work, most] {
      Keeper(queue, most, stop).run();
      --at_work;
    });
  }
  const auto tell = [&] {
    for (const RunEvent& event : queue.take_events()) hooks.event(event);
  };
  while (at_work > 0) {
    if (hooks.pause(kTick) > 0) stop = true;
    tell();
    hooks.tick();
  }
  for (std::thread& thread : pool) thread.join();
  tell();
  return queue.outcome();
}

}  // namespace tarl::study
