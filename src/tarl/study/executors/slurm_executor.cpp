// SPDX-License-Identifier: MIT
#include "tarl/study/executors/slurm_executor.h"

#include <algorithm>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/core/shell_words.h"
#include "tarl/fleet/benchmark.h"
#include "tarl/fleet/device.h"
#include "tarl/study/executors/child_process.h"
#include "tarl/study/executors/fleet_executor.h"
#include "tarl/study/executors/slurm_jobs.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {

namespace {

constexpr std::size_t kArraySize = 1000;  // Slurm's default MaxArraySize is 1001

// Seconds before the time limit: one run writes a checkpoint, or a whole fleet does.
constexpr const char* kWarning = "--signal=TERM@60";
constexpr const char* kFleetWarning = "--signal=TERM@180";

std::string first_word(const std::string& text) {
  std::string word;
  std::istringstream(text) >> word;
  return word;
}

// One run per line.
std::string run_list(std::span<const PlannedRun> runs) {
  std::string list;
  for (const PlannedRun& run : runs) {
    const std::string folder = fs::absolute(run.folder).string();
    if (folder.find('\n') != std::string::npos) {
      throw UsageError("the study's folder has a line break in its name; choose another --out");
    }
    list += folder + "\n";
  }
  return list;
}

fs::path next_file(const fs::path& folder) {
  int number = 1;
  while (fs::exists(folder / (std::to_string(number) + ".sh"))) ++number;
  return folder / std::to_string(number);
}

// "123" or "123;cluster".
std::string answer_of_sbatch(const std::vector<std::string>& command) {
  try {
    return output_of(command);
  } catch (const Error& problem) {
    throw Error(std::string(problem.what()) +
                "; run the same command again when Slurm takes jobs, or with --executor local");
  }
}

bool names_gpus(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("--gpus") || word.starts_with("--gres") || word.starts_with("-G");
  });
}

// A path in which Slurm replaces nothing.
std::string literally(const fs::path& path) {
  std::string text;
  for (const char letter : path.string()) text += letter == '%' ? "%%" : std::string(1, letter);
  return text;
}

std::vector<std::string> sbatch_command(const SlurmOptions& options, std::size_t tasks,
                                        const std::string& base) {
  std::string array = "--array=0-" + std::to_string(tasks - 1);
  if (options.jobs > 0) array += "%" + std::to_string(options.jobs);
  std::vector<std::string> command = {
      "sbatch",
      "--parsable",
      "--job-name=" + options.job_name,
      array,
      "--ntasks=1",
      "--requeue",
      options.on_gpus ? kFleetWarning : kWarning,
      "--open-mode=append",
      "--output=" + literally(fs::path(base).parent_path()) + "/%A_%a.log"};
  if (options.on_gpus && !names_gpus(options.sbatch)) command.push_back("--gres=gpu:1");
  command.insert(command.end(), options.sbatch.begin(), options.sbatch.end());
  command.push_back(base + ".sh");
  return command;
}

std::string script_of(const SlurmOptions& options, const SlurmShares& shares,
                      const std::string& base) {
  return slurm_script({fs::canonical(options.program), options.arguments, fs::absolute(options.out),
                       base + ".runs", options.retries, shares});
}

// Runs of one array.
std::string submit(const SlurmOptions& options, std::span<const PlannedRun> runs) {
  const SlurmShares shares = shares_of(options, runs.size());
  const fs::path folder = fs::absolute(options.out) / kSlurmFolder;
  make_directories(folder);
  const std::string base = next_file(folder).string();
  write_file_durably(base + ".runs", run_list(runs));
  write_file_durably(base + ".sh", script_of(options, shares, base));
  const std::size_t tasks = options.on_gpus ? shares.tasks : runs.size();
  const std::string answer = answer_of_sbatch(sbatch_command(options, tasks, base));
  const std::string job = first_word(answer.substr(0, answer.find(';')));
  write_file_durably(base + ".job", job + "\n");
  return job;
}

// Of an array: any number where a task has more than one.
std::size_t most_runs(const SlurmOptions& options, std::size_t runs) {
  return options.on_gpus ? runs : std::min(runs, kArraySize);
}

void refuse_second_submission(const fs::path& out) {
  const std::vector<std::string> jobs = live_slurm_jobs(out);
  if (jobs.empty()) return;
  throw Error("job " + jobs.front() + " is still at work on " + out.string() +
              "; watch it with tarl study status, or end it with scancel " + jobs.front());
}

// Reports the state of the folders until Slurm no longer knows a job of the study.
Execution follow(const SlurmOptions& options, std::span<const PlannedRun> runs,
                 const ExecutionHooks& hooks) {
  std::vector<RunPhase> told(runs.size(), RunPhase::kMissing);
  for (bool live = true; live;) {
    live = !live_slurm_jobs(options.out).empty();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RunState state = look_at(runs[i]);
      if (state.phase == told[i]) continue;
      told[i] = state.phase;
      using Kind = RunEvent::Kind;
      if (state.phase == RunPhase::kRunning) hooks.event({Kind::kStarted, &runs[i], "", 0});
      if (state.phase == RunPhase::kFinished) {
        hooks.event({Kind::kFinished, &runs[i], "", state.seconds});
      }
    }
    if (hooks.pause(std::chrono::milliseconds(live ? 1000 : 0)) > 0) return Execution::kSubmitted;
    hooks.tick();
  }
  bool failed = false;
  for (const PlannedRun& run : runs) {
    const RunState state = look_at(run);
    if (state.phase == RunPhase::kFinished) continue;
    failed = true;
    hooks.event(
        {RunEvent::Kind::kFailed, &run, state.error.empty() ? "did not finish" : state.error, 0});
  }
  return failed ? Execution::kFailed : Execution::kFinished;
}

}  // namespace

SlurmShares shares_of(const SlurmOptions& options, std::size_t runs) {
  if (!options.on_gpus || runs == 0) return {};
  const auto parts = [runs](std::size_t size) { return (runs + size - 1) / size; };
  const std::size_t tasks =
      options.tasks > 0 ? std::min(options.tasks, runs) : parts(options.runs_per_task);
  if (tasks > kArraySize) {
    throw UsageError(std::to_string(tasks) + " tasks are more than the " +
                     std::to_string(kArraySize) + " of an array; give a larger --runs-per-task");
  }
  return {tasks, options.runs_per_task > 0 ? options.runs_per_task : parts(tasks)};
}

std::string slurm_preview(const SlurmOptions& options, std::size_t runs) {
  if (runs == 0) return "no run is missing: nothing would be submitted\n";
  const SlurmShares shares = shares_of(options, runs);
  const std::string base = next_file(fs::absolute(options.out) / kSlurmFolder).string();
  std::string out = "# " + base + ".sh\n" + script_of(options, shares, base) + "\n";
  if (options.on_gpus) return out + shell_line(sbatch_command(options, shares.tasks, base)) + "\n";
  for (std::size_t at = 0; at < runs; at += kArraySize) {
    const std::size_t tasks = std::min(kArraySize, runs - at);
    if (at == 0) {
      out += shell_line(sbatch_command(options, tasks, base)) + "\n";
    } else {
      out += "and another array of " + std::to_string(tasks) + " tasks, likewise\n";
    }
  }
  return out;
}

SlurmExecutor::SlurmExecutor(SlurmOptions options) : options_(std::move(options)) {
  require(!options_.program.empty(), "an executor without a program");
  require(!options_.on_gpus || options_.tasks + options_.runs_per_task > 0, "shares of some size");
}

void SlurmExecutor::check(std::span<const PlannedRun> runs) const {
  if (!options_.on_gpus) return;
  refuse_what_no_fleet_runs(runs);
  shares_of(options_, runs.size());
}

train::MarginRule SlurmExecutor::margin_rule(std::size_t runs) const {
  if (!options_.on_gpus) return Executor::margin_rule(runs);
  const fleet::DeviceInfo device = fleet::device_info();
  if (!device.found) {
    throw Error("align.margin = auto is measured on the GPU, and there is none here (CUDA is " +
                device.text + "); give margins as numbers, or run the command on a node");
  }
  return fleet::fleet_margins(static_cast<int>(shares_of(options_, runs).at_once));
}

Execution SlurmExecutor::execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) {
  if (runs.empty()) return Execution::kFinished;
  check(runs);
  refuse_second_submission(options_.out);
  for (const PlannedRun& run : runs) prepare_run(run);
  const std::size_t most = most_runs(options_, runs.size());
  for (std::size_t at = 0; at < runs.size(); at += most) {
    submit(options_, runs.subspan(at, std::min(most, runs.size() - at)));
  }
  return options_.wait ? follow(options_, runs, hooks) : Execution::kSubmitted;
}

}  // namespace tarl::study
