// SPDX-License-Identifier: MIT
#include "tarl/cli/study_run.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tarl/cli/config_request.h"
#include "tarl/cli/json_output.h"
#include "tarl/cli/study_display.h"
#include "tarl/cli/study_executors.h"
#include "tarl/cli/study_json.h"
#include "tarl/core/error.h"
#include "tarl/core/exit_codes.h"
#include "tarl/core/machine.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/device_run.h"
#include "tarl/fleet/needs.h"
#include "tarl/study/executors/slurm_executor.h"
#include "tarl/study/run_study.h"

namespace tarl::cli {

namespace {

study::Study asked_study(const Args& args) {
  study::StudyRequest request;
  if (args.has("--seeds")) request.seeds = args.whole("--seeds", 5, 1, study::kMostSeeds);
  request.steps = args.value("--steps");
  for (const std::string& envs : args.values("--envs")) {
    for (std::string& env : words_of(envs, ',')) request.envs.push_back(std::move(env));
  }
  request.set = args.values("--set");
  if (const auto on_nan = args.value("--on-nan")) request.set.push_back("on_nan=" + *on_nan);
  return study::apply_request(study::find_study(args.positional()[1]), request);
}

// Runs that were given up: how many, and how many of them would end the same way again.
struct Failures {
  int all = 0, hopeless = 0;
};

int tell_end(study::Execution result, const Failures& failures, const fs::path& out) {
  const char* folder = out.c_str();
  switch (result) {
    case study::Execution::kFinished:
      std::printf("finished; look at it with: tarl report %s\n", folder);
      return kExitGood;
    case study::Execution::kSubmitted:
      std::printf("submitted; watch it with: tarl study status %s --watch\n", folder);
      return kExitGood;
    case study::Execution::kStopped:
      std::fprintf(stderr, "tarl: stopped; run the same command again to continue\n");
      return kExitStopped;
    case study::Execution::kFailed:
      std::fprintf(stderr,
                   "tarl: some runs failed (tarl study status %s); the others are done. %s\n",
                   folder,
                   failures.all > 0 && failures.hopeless == failures.all
                       ? "They would end the same way again; change their settings (after a NaN, "
                         "--on-nan skip leaves such updates out) and give another --out"
                       : "Run the same command again to try them once more");
      return kExitFailed;
  }
  return kExitFailed;
}

study::Execution execute(const study::Study& study, const fs::path& out, study::Executor& executor,
                         Failures& failures) {
  StudyDisplay display;
  return study::run_study(
      study, out, executor,
      {.begun = [&](auto runs, const auto& survey,
                    const auto& session) { display.begun(runs, survey, session); },
       .event =
           [&](const study::RunEvent& event) {
             const bool failed = event.kind == study::RunEvent::Kind::kFailed;
             failures.all += failed ? 1 : 0;
             failures.hopeless += failed && event.hopeless ? 1 : 0;
             display.event(event);
           },
       .tick = [&] { display.tick(); },
       .notice = tell});
}

// A folder belongs to one study: runs of another one inside it would be counted as its own.
void warn_if_nested(const fs::path& out) {
  for (fs::path at = fs::absolute(out).lexically_normal().parent_path(); at != at.parent_path();
       at = at.parent_path()) {
    if (!fs::exists(at / study::kStudyFile)) continue;
    std::fprintf(stderr,
                 "tarl: %s is inside the study in %s, whose report will count these runs too; "
                 "choose an --out beside it\n",
                 out.c_str(), at.c_str());
    return;
  }
}

std::size_t runs_together(const Args& args, ExecutorKind kind, std::size_t runs) {
  if (jobs_of(args) > 0) return static_cast<std::size_t>(jobs_of(args));
  if (kind == ExecutorKind::kLocal) return usable_cpus().size();
  const int agents = kind == ExecutorKind::kFleet ? fleet::device_info().agents_at_once : 0;
  return agents > 0 ? static_cast<std::size_t>(agents) : runs;
}

// Conditions that no program of the fleet computes, each with the reason.
std::string refused_by_fleet(std::span<const study::PlannedRun> runs) {
  std::set<std::string> lines;
  for (const study::PlannedRun& run : runs) {
    if (run.config.margin_is_open()) continue;  // it is not known yet
    const std::string reason = fleet::why_not(run.config);
    if (!reason.empty()) lines.insert("not on a fleet: " + run.label + ": " + reason + "\n");
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// What the runs ask of a GPU and of the machine around it, and how many of them fit here.
void print_fleet_needs(std::span<const study::PlannedRun> runs, const study::Estimate& estimate,
                       std::size_t together) {
  const std::string refused = refused_by_fleet(runs);
  std::printf("%s", refused.c_str());
  if (!refused.empty()) return;
  const std::size_t at_once = std::min(together, runs.size());
  const auto line = [&](const char* kind, double bytes) {
    std::printf("%s: up to %s a run when its replay is full, %s for %zu at once\n", kind,
                fleet::bytes_text(bytes).c_str(),
                fleet::bytes_text(bytes * static_cast<double>(at_once)).c_str(), at_once);
  };
  line("GPU memory", estimate.device_bytes);
  line("memory beside it", estimate.device_host_bytes);
  const fleet::DeviceInfo device = fleet::device_info();
  if (!device.found) return;
  const std::vector<fleet::Needs> needs(runs.size(),
                                        {estimate.device_bytes, estimate.device_host_bytes});
  std::printf("this machine: %zu fit at a time (%s of GPU memory free, %s of memory)\n",
              fleet::fitting(needs, {device.free_bytes, usable_memory_bytes()}),
              fleet::bytes_text(device.free_bytes).c_str(),
              fleet::bytes_text(usable_memory_bytes()).c_str());
}

int dry_run(const Args& args, const study::Study& study, const fs::path& out) {
  const std::vector<study::PlannedRun> runs = study::plan(study, out);
  const ExecutorKind kind = executor_kind(args);
  const std::size_t together = runs_together(args, kind, runs.size());
  if (!wants_json(args)) {
    for (const study::PlannedRun& run : runs) {
      std::printf("%-50s %12lld steps  %s\n", run.name().c_str(),
                  static_cast<long long>(run.config.steps), run.folder.c_str());
    }
    std::fflush(stdout);
  }
  const study::Estimate estimate = study::estimate(runs, kEstimateSeconds);
  if (wants_json(args)) return print_json(estimate_json(runs, estimate, together));
  if (kind == ExecutorKind::kSlurm) {
    const study::SlurmOptions options = slurm_options(args, study, out, estimate);
    std::printf("\n%s", study::slurm_preview(options, estimate.runs - estimate.finished).c_str());
  }
  std::printf("\n%s",
              study::estimate_text(estimate, together, kind == ExecutorKind::kFleet).c_str());
  if (kind == ExecutorKind::kFleet) print_fleet_needs(runs, estimate, together);
  return kExitGood;
}

}  // namespace

int run_a_study(const Args& args) {
  if (args.positional().size() != 2) throw UsageError("run which study? (tarl study list)");
  const study::Study study = asked_study(args);
  const auto asked = args.value("--out");
  const fs::path out = asked ? fs::path(*asked) : study::usual_folder(study);
  warn_if_nested(out);
  if (args.has("--dry-run")) return dry_run(args, study, out);
  if (wants_json(args)) {
    throw UsageError(
        "study run has JSON with --dry-run alone; of a study at work: tarl study status " +
        out.string() + " --json");
  }
  Failures failures;
  const study::Execution result = execute(study, out, *make_executor(args, study, out), failures);
  return tell_end(result, failures, out);
}

}  // namespace tarl::cli
