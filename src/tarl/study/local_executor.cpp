// SPDX-License-Identifier: MIT
#include "tarl/study/local_executor.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include <sys/wait.h>

#include "tarl/core/error.h"
#include "tarl/core/exit_codes.h"
#include "tarl/study/child_process.h"
#include "tarl/study/study_folder.h"
#include "tarl/train/run_lock.h"

namespace tarl::study {

namespace {

using Clock = std::chrono::steady_clock;

enum class Stage { kWaiting, kActive, kDone, kGivenUp };

struct ChildJob {
  const PlannedRun* run = nullptr;
  Stage stage = Stage::kWaiting;
  int attempts = 0;
  bool told_in_use = false;
  Clock::time_point not_before{};
  Clock::time_point started{};
  std::size_t slot = 0;
  std::optional<ChildProcess> child{};
};

class Session {
 public:
  Session(const LocalOptions& options, std::span<const PlannedRun> runs,
          const ExecutionHooks& hooks)
      : options_(options), hooks_(hooks), cpus_(usable_cpus()) {
    const auto jobs = options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : cpus_.size();
    slot_taken_.assign(std::min(jobs, std::max<std::size_t>(runs.size(), 1)), false);
    for (const PlannedRun& run : runs) jobs_.push_back(ChildJob{.run = &run});
  }

  Execution run() {
    while (any(Stage::kActive) || (stops_ == 0 && any(Stage::kWaiting))) {
      if (stops_ == 0) start_waiting();
      const int stops = hooks_.pause(kTick);
      for (; stops_ < stops; ++stops_) ask_all_to_end();
      for (ChildJob& job : jobs_) reap(job);
      hooks_.tick();
    }
    if (any(Stage::kWaiting)) return Execution::kStopped;
    return any(Stage::kGivenUp) ? Execution::kFailed : Execution::kFinished;
  }

 private:
  bool any(Stage stage) const {
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [stage](const ChildJob& job) { return job.stage == stage; });
  }

  void tell(RunEvent::Kind kind, const ChildJob& job, std::string detail = "") const {
    const double seconds = std::chrono::duration<double>(Clock::now() - job.started).count();
    hooks_.event({kind, job.run, std::move(detail), seconds});
  }

  void start_waiting() {
    for (ChildJob& job : jobs_) {
      const auto free = std::find(slot_taken_.begin(), slot_taken_.end(), false);
      if (free == slot_taken_.end()) return;
      if (job.stage != Stage::kWaiting || Clock::now() < job.not_before) continue;
      // Somebody else works on it, or the children of a study that was killed still save theirs.
      if (train::is_in_use(job.run->folder)) {
        if (!job.told_in_use) tell(RunEvent::Kind::kInUse, job);
        job.told_in_use = true;
        job.not_before = Clock::now() + std::chrono::milliseconds(500);
        continue;
      }
      start(job, static_cast<std::size_t>(free - slot_taken_.begin()));
    }
  }

  void start(ChildJob& job, std::size_t slot) {
    prepare_run(*job.run);
    ChildOptions child{options_.program, job.run->folder / "train.log", {}};
    for (std::string& word : train_arguments(*job.run)) child.command.push_back(std::move(word));
    if (options_.pin && slot_taken_.size() <= cpus_.size()) child.cpu = cpus_[slot];
    job.child.emplace(child);
    job.stage = Stage::kActive;
    job.started = Clock::now();
    job.slot = slot;
    slot_taken_[slot] = true;
    ++job.attempts;
    tell(RunEvent::Kind::kStarted, job);
  }

  void ask_all_to_end() const {
    for (const ChildJob& job : jobs_) {
      if (job.child) job.child->ask_to_end();
    }
  }

  void reap(ChildJob& job) {
    if (!job.child) return;
    const auto status = job.child->poll();
    if (!status) return;
    job.child.reset();
    slot_taken_[job.slot] = false;
    if (*status == 0) {
      job.stage = Stage::kDone;
      tell(RunEvent::Kind::kFinished, job);
    } else if (stops_ > 0 && was_stopped(*status)) {
      job.stage = Stage::kWaiting;
      tell(RunEvent::Kind::kStopped, job);
    } else {
      retry_or_give_up(job, *status);
    }
  }

  // Ended as our signal makes a run end, early in its life or later.
  static bool was_stopped(int status) {
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGTERM;
    return WEXITSTATUS(status) == kExitStopped || WEXITSTATUS(status) == 128 + SIGTERM;
  }

  // Would end the same way from the same checkpoint.
  static bool is_hopeless(int status) {
    if (!WIFEXITED(status)) return false;
    return WEXITSTATUS(status) == kExitUsage || WEXITSTATUS(status) == kExitNonFinite;
  }

  void retry_or_give_up(ChildJob& job, int status) {
    std::string why = describe_end(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) != kExitStopped) {
      why += ": " + last_line(job.run->folder / "train.log");
    }
    if (is_hopeless(status) || job.attempts > options_.retries) {
      job.stage = Stage::kGivenUp;
      mark_failed(*job.run, why);
      tell(RunEvent::Kind::kFailed, job, why);
      return;
    }
    job.stage = Stage::kWaiting;
    job.not_before = Clock::now() + options_.retry_delay * job.attempts;
    tell(RunEvent::Kind::kRetry, job, why);
  }

  const LocalOptions& options_;
  const ExecutionHooks& hooks_;
  std::vector<int> cpus_;
  std::vector<bool> slot_taken_;
  std::vector<ChildJob> jobs_;
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
