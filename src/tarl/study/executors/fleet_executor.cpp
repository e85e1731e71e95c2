// SPDX-License-Identifier: MIT
#include "tarl/study/executors/fleet_executor.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <set>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/benchmark.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/fleet/needs.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/executors/run_queue.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/train/loop.h"

namespace tarl::study {

namespace {

using fleet::FleetRun;

constexpr std::chrono::microseconds kIdle{200};

struct Job {
  Attempt attempt;
  std::unique_ptr<FleetRun> work;
};

// One thread that serves some of the agents.
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

  // True if this keeper is done with the job, whose folder is then free again.
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
      // A NaN or Inf would recur.
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

// Which throws where a simulator or a ROM is missing.
void try_environments(std::span<const PlannedRun> runs) {
  std::set<std::string> tried;
  for (const PlannedRun& run : runs) {
    if (tried.insert(run.config.env).second) train::environments_of(run.config)(seeded(0));
  }
}

// Open margins, which are still to be measured, are tried with the least.
std::vector<PlannedRun> with_least_margins(std::span<const PlannedRun> runs) {
  std::vector<PlannedRun> settled(runs.begin(), runs.end());
  for (PlannedRun& run : settled) {
    if (run.config.margin_is_open()) run.config.align.margin = 1;
  }
  return settled;
}

}  // namespace

void refuse_what_no_fleet_runs(std::span<const PlannedRun> runs) {
  for (const PlannedRun& run : runs) {
    const std::string reason = run.config.margin_is_open() ? "" : fleet::why_not(run.config);
    if (!reason.empty()) {
      throw UsageError(run.name() + ": " + reason + "; use --executor local for it");
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

void FleetExecutor::check(std::span<const PlannedRun> asked) const {
  const std::vector<PlannedRun> runs = with_least_margins(asked);
  refuse_what_no_fleet_runs(runs);
  if (runs.empty()) return;
  const std::size_t agents = agents_at_once(runs.size());
  const fleet::DeviceInfo device = fleet::device_info();
  std::vector<fleet::Needs> needs;
  for (const PlannedRun& run : runs) {
    const std::string reason = fleet::why_not_here(run.config, device);
    if (!reason.empty()) {
      throw Error(run.name() + ": " + reason + "; use --executor local to run it on the CPU");
    }
    needs.push_back(fleet::needs_of(run.config));
  }
  fleet::refuse_more_than_fit(needs, agents, device.free_bytes,
                              "run fewer at a time (--jobs N) or lower buffer_size");
  try_environments(runs);
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
