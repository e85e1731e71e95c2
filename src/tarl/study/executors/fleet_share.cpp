// SPDX-License-Identifier: MIT
#include "tarl/study/executors/fleet_share.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/study/executors/fleet_executor.h"
#include "tarl/study/executors/slurm_jobs.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenQuestions{30};  // to Slurm, about one job

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::istringstream text(read_text(file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The other tasks of an array, as their traces in the folders and Slurm tell.
class OtherTasks {
 public:
  explicit OtherTasks(fs::path failed) : failed_(std::move(failed)) {}

  // Takes away what a task that Slurm has ended left in the folder.
  bool hold(const PlannedRun& run) {
    if (!store::is_in_use(run.folder)) return false;
    const auto job = store::job_in_lock(run.folder);
    return !job || !is_over(*job) || !store::remove_lock_of(run.folder, *job);
  }

  bool have_ended(const PlannedRun& run) const {
    if (look_at(run).phase == RunPhase::kFinished) return true;
    std::error_code unknown;
    if (!fs::exists(failed_, unknown)) return false;
    const std::vector<std::string> failed = lines_of(failed_);
    return std::find(failed.begin(), failed.end(), fs::absolute(run.folder)) != failed.end();
  }

  void note_failed(const PlannedRun& run) const {
    append_text(failed_, fs::absolute(run.folder).string() + "\n");
  }

 private:
  struct Answer {
    SteadyClock::time_point asked;
    bool over = false;
  };

  bool is_over(const store::BatchJob& job) {
    const auto key = std::pair(job.number, job.restarts);
    const auto known = answers_.find(key);
    const SteadyClock::time_point now = SteadyClock::now();
    if (known != answers_.end() &&
        (known->second.over || now < known->second.asked + kBetweenQuestions)) {
      return known->second.over;
    }
    return (answers_[key] = {now, has_ended(job)}).over;
  }

  const fs::path failed_;
  std::map<std::pair<std::int64_t, std::int64_t>, Answer> answers_;
};

fs::path list_of_failed(const fs::path& runs) {
  return fs::path(runs).replace_extension(".failed");
}

}  // namespace

std::vector<PlannedRun> runs_for_task(const FleetShare& share) {
  require(share.task < share.tasks, "a task of the array");
  std::map<std::string, PlannedRun> planned;
  for (PlannedRun& run : plan(stored_study(share.out), share.out)) {
    planned.emplace(fs::absolute(run.folder).string(), std::move(run));
  }
  const std::vector<std::string> folders = lines_of(share.runs);
  const std::size_t first = folders.size() * share.task / share.tasks;
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string& folder = folders[(first + i) % folders.size()];
    const auto found = planned.find(folder);
    if (found == planned.end()) {
      throw Error(share.runs.string() + " names " + folder +
                  ", which is not in the study any more; submit the study again");
    }
    runs.push_back(found->second);
  }
  return runs;
}

Execution FleetShareExecutor::execute(std::span<const PlannedRun> runs,
                                      const ExecutionHooks& hooks) {
  OtherTasks others(list_of_failed(share_.runs));
  ExecutionHooks noting = hooks;
  noting.event = [&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::kFailed) {
      hopeless_ = hopeless_ && event.hopeless;
      if (event.hopeless) others.note_failed(*event.run);
    }
    hooks.event(event);
  };
  FleetExecutor fleet(
      {share_.jobs, share_.retries,
       RunQueue::Company{[&](const PlannedRun& run) { return others.hold(run); },
                         [&](const PlannedRun& run) { return others.have_ended(run); }}});
  return fleet.execute(runs, noting);
}

}  // namespace tarl::study
