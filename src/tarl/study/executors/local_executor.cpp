// SPDX-License-Identifier: MIT
#include "tarl/study/executors/local_executor.h"

#include <algorithm>
#include <csignal>
#include <list>

#include <sys/wait.h>

#include "tarl/core/error.h"
#include "tarl/core/exit_codes.h"
#include "tarl/core/machine.h"
#include "tarl/store/run_files.h"
#include "tarl/study/executors/child_process.h"
#include "tarl/study/executors/run_queue.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::study {

namespace {

// A run that a child process works on.
struct ChildJob {
  Attempt attempt;
  std::size_t slot = 0;
  ChildProcess child;
};

class Session {
 public:
  Session(const LocalOptions& options, std::span<const PlannedRun> runs,
          const ExecutionHooks& hooks)
      : options_(options),
        hooks_(hooks),
        cpus_(usable_cpus()),
        queue_(runs, {options.retries, options.retry_delay}) {
    const auto jobs = options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : cpus_.size();
    slot_taken_.assign(std::min(jobs, std::max<std::size_t>(runs.size(), 1)), false);
  }

  Execution run() {
    while (!jobs_.empty() || (stops_ == 0 && queue_.any_waiting())) {
      if (stops_ == 0) start_waiting();
      tell();
      const int stops = hooks_.pause(kTick);
      for (; stops_ < stops; ++stops_) {
        for (const ChildJob& job : jobs_) job.child.ask_to_end();
      }
      std::erase_if(jobs_, [this](ChildJob& job) { return reap(job); });
      tell();
      hooks_.tick();
    }
    return queue_.outcome();
  }

 private:
  void tell() {
    for (const RunEvent& event : queue_.take_events()) hooks_.event(event);
  }

  void start_waiting() {
    while (true) {
      const auto free = std::find(slot_taken_.begin(), slot_taken_.end(), false);
      if (free == slot_taken_.end()) return;
      const std::optional<Attempt> attempt = queue_.take();
      if (!attempt) return;
      start(*attempt, static_cast<std::size_t>(free - slot_taken_.begin()));
    }
  }

  void start(const Attempt& attempt, std::size_t slot) {
    const PlannedRun& run = *attempt.run;
    prepare_run(run);
    ChildOptions child{options_.program, run.folder / store::kTrainLog, {}};
    for (std::string& word : train_arguments(run)) child.command.push_back(std::move(word));
    if (options_.pin && slot_taken_.size() <= cpus_.size()) child.cpu = cpus_[slot];
    jobs_.push_back({attempt, slot, ChildProcess(child)});
    slot_taken_[slot] = true;
    queue_.started(attempt);
  }

  // True when the job's child has ended.
  bool reap(ChildJob& job) {
    const auto status = job.child.poll();
    if (!status) return false;
    slot_taken_[job.slot] = false;
    if (*status == 0) {
      queue_.finished(job.attempt);
    } else if (stops_ > 0 && was_stopped(*status)) {
      queue_.stopped(job.attempt);
    } else {
      queue_.failed(job.attempt, describe(job, *status), is_hopeless(*status));
    }
    return true;
  }

  // Ended as a run does after our signal, whether during startup or later.
  static bool was_stopped(int status) {
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGTERM;
    return WEXITSTATUS(status) == kExitStopped || WEXITSTATUS(status) == 128 + SIGTERM;
  }

  // Would fail the same way from the same checkpoint.
  static bool is_hopeless(int status) {
    if (!WIFEXITED(status)) return false;
    return WEXITSTATUS(status) == kExitUsage || WEXITSTATUS(status) == kExitNonFinite;
  }

  static std::string describe(const ChildJob& job, int status) {
    const std::string why = describe_end(status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == kExitStopped) return why;
    return why + ": " + last_line(job.attempt.run->folder / store::kTrainLog);
  }

  const LocalOptions& options_;
  const ExecutionHooks& hooks_;
  std::vector<int> cpus_;
  std::vector<bool> slot_taken_;
  RunQueue queue_;
  std::list<ChildJob> jobs_;
  int stops_ = 0;
};

}  // namespace

LocalExecutor::LocalExecutor(LocalOptions options) : options_(std::move(options)) {
  require(!options_.program.empty(), "an executor without a program");
}

Execution LocalExecutor::execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) {
  return Session(options_, runs, hooks).run();
}

}  // namespace tarl::study
