// SPDX-License-Identifier: MIT
#include "tarl/cli/study_executors.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "tarl/cli/device_choice.h"
#include "tarl/cli/plugins.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/machine.h"
#include "tarl/fleet/device.h"
#include "tarl/study/executors/fleet_executor.h"
#include "tarl/study/executors/local_executor.h"
#include "tarl/study/plan/grid.h"

namespace tarl::cli {

namespace {

constexpr std::array kKindNames = {"local", "slurm", "fleet"};
constexpr const char* kTasks = "--tasks";
constexpr const char* kRunsPerTask = "--runs-per-task";
constexpr std::int64_t kMostRuns = 100'000;
constexpr double kRoomForAgents = 0.9;  // of a GPU's memory

void check_device(const Args& args, ExecutorKind kind) {
  const bool slurm = kind == ExecutorKind::kSlurm;
  if (on_gpu(args) && kind == ExecutorKind::kLocal) {
    throw UsageError("a study on this machine's GPU is --executor fleet");
  }
  for (const char* option : {kTasks, kRunsPerTask}) {
    if (args.has(option) && !(slurm && on_gpu(args))) {
      throw UsageError(std::string(option) +
                       " divides runs among GPUs: give --executor slurm --device cuda");
    }
  }
}

// At a time on a GPU like this machine's.
std::size_t runs_that_fit(const study::Estimate& estimate) {
  const fleet::DeviceInfo device = fleet::device_info();
  if (!device.found) {
    throw UsageError("how many runs fit the nodes' GPUs is not known here (CUDA is " + device.text +
                     "); give --runs-per-task N, or --tasks N for an even share");
  }
  const double fit = kRoomForAgents * device.free_bytes / std::max(estimate.device_bytes, 1.0);
  return static_cast<std::size_t>(
      std::clamp(fit, 1.0, static_cast<double>(std::max(device.agents_at_once, 1))));
}

}  // namespace

std::vector<std::string> words_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, between);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

int jobs_of(const Args& args) {
  return static_cast<int>(args.whole("--jobs", 0, 1, 100'000));
}

int retries_of(const Args& args) {
  return static_cast<int>(args.whole("--retries", 3, 0, 1000));
}

ExecutorKind executor_kind(const Args& args) {
  const std::string name = args.value("--executor").value_or(kKindNames.front());
  if (const auto kind = find_value<ExecutorKind>(kKindNames, name)) {
    check_device(args, *kind);
    return *kind;
  }
  const std::vector<std::string> known(kKindNames.begin(), kKindNames.end());
  throw UsageError("no executor is called '" + name + "'" + did_you_mean(name, known) +
                   " (local, slurm or fleet)");
}

study::SlurmOptions slurm_options(const Args& args, const study::Study& study, const fs::path& out,
                                  const std::optional<study::Estimate>& estimate) {
  study::SlurmOptions options;
  options.out = out;
  options.job_name = "tarl-" + study.name;
  options.jobs = jobs_of(args);
  options.retries = retries_of(args);
  options.wait = args.has("--wait");
  options.program = kThisProgram;
  options.arguments = plugin_arguments();
  for (const std::string& words : args.values("--slurm-args")) {
    for (std::string& word : words_of(words, ' ')) options.sbatch.push_back(std::move(word));
  }
  options.on_gpus = on_gpu(args);
  options.tasks = static_cast<std::size_t>(args.whole(kTasks, 0, 1, kMostTasks));
  options.runs_per_task = static_cast<std::size_t>(args.whole(kRunsPerTask, 0, 1, kMostRuns));
  if (options.on_gpus && options.tasks == 0 && options.runs_per_task == 0) {
    const std::vector<study::PlannedRun> runs = study::plan(study, out);
    options.runs_per_task =
        runs_that_fit(estimate ? *estimate : study::estimate(runs, kEstimateSeconds));
  }
  return options;
}

std::unique_ptr<study::Executor> make_executor(const Args& args, const study::Study& study,
                                               const fs::path& out) {
  switch (executor_kind(args)) {
    case ExecutorKind::kSlurm:
      return std::make_unique<study::SlurmExecutor>(slurm_options(args, study, out));
    case ExecutorKind::kFleet:
      return std::make_unique<study::FleetExecutor>(
          study::FleetOptions{jobs_of(args), retries_of(args)});
    case ExecutorKind::kLocal:
      break;
  }
  study::LocalOptions options;
  options.jobs = jobs_of(args);
  options.pin = !args.has("--no-pin");
  options.retries = retries_of(args);
  options.program = {kThisProgram};
  return std::make_unique<study::LocalExecutor>(options);
}

}  // namespace tarl::cli
