// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>

#include "tarl/study/executors/executor.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {

// Whoever watches a study: all are called in the thread of run_study.
struct StudyWatcher {
  std::function<void(std::span<const PlannedRun>, const Survey&, const StudySession&)> begun;
  std::function<void(const RunEvent&)> event;
  std::function<void()> tick;
  std::function<void(const std::string&)> notice = {};  // a line for the user
  // As ExecutionHooks::pause, for a process whose signals are not ours. Empty: signals are waited
  // for, and those that end programs stop the study.
  std::function<int(std::chrono::milliseconds)> pause = {};
};

// Does what is missing of a study in its folder, measures the random scores meanwhile, and
// stops in an orderly way when asked to. Running it again continues. Open
// margins are measured first, once for each condition. Throws UsageError where the folder holds
// another study, Error where somebody else works on it.
Execution run_study(const Study& asked, const fs::path& out, Executor& executor,
                    const StudyWatcher& watcher);

}  // namespace tarl::study
