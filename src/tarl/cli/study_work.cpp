// SPDX-License-Identifier: MIT
#include "tarl/cli/study_work.h"

#include <cstdio>

#include "tarl/cli/study_display.h"
#include "tarl/cli/study_executors.h"
#include "tarl/core/error.h"
#include "tarl/core/exit_codes.h"
#include "tarl/study/executors/fleet_share.h"
#include "tarl/study/executors/signal_queue.h"

namespace tarl::cli {

namespace {

study::FleetShare share_of(const Args& args) {
  if (args.positional().size() != 2) throw UsageError("work on the study of which folder?");
  if (!args.has("--runs")) throw UsageError("work on which runs? (--runs FILE, one folder a line)");
  study::FleetShare share;
  share.out = args.positional()[1];
  share.runs = *args.value("--runs");
  share.tasks = static_cast<std::size_t>(args.whole("--tasks", 1, 1, kMostTasks));
  share.task = static_cast<std::size_t>(args.whole("--task", 0, 0, kMostTasks - 1));
  if (share.task >= share.tasks) {
    throw UsageError("--task counts from 0 and is less than --tasks " +
                     std::to_string(share.tasks));
  }
  share.jobs = jobs_of(args);
  share.retries = retries_of(args);
  return share;
}

int code_of(study::Execution result, bool hopeless) {
  if (result == study::Execution::kStopped) return kExitStopped;
  if (result != study::Execution::kFailed) return kExitGood;
  return hopeless ? kExitNonFinite : kExitFailed;
}

}  // namespace

int work_on_a_study(const Args& args) {
  const study::FleetShare share = share_of(args);
  study::SignalQueue signals;  // before any thread: they all leave signals to this one
  const std::vector<study::PlannedRun> runs = study::runs_for_task(share);
  StudyDisplay display;
  const study::Survey before = study::survey(runs);
  display.begun(runs, before,
                {"fleet, task " + std::to_string(share.task) + " of " + std::to_string(share.tasks),
                 seconds_since_1970(), before.steps_done});
  study::FleetShareExecutor fleet(share);
  const study::Execution result =
      fleet.execute(runs, {.pause = [&](auto longest) { return signals.pause(longest); },
                           .event = [&](const study::RunEvent& event) { display.event(event); },
                           .tick = [&] { display.tick(); }});
  return code_of(result, fleet.hopeless());
}

}  // namespace tarl::cli
