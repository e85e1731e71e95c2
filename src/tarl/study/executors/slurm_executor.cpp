// SPDX-License-Identifier: MIT
#include "tarl/study/executors/slurm_executor.h"

#include <algorithm>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/study/executors/child_process.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {

namespace {

constexpr std::size_t kArraySize = 1000;              // Slurm's default MaxArraySize is 1001
constexpr const char* kWarning = "--signal=TERM@60";  // seconds before the time limit

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char letter : text)
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

std::string first_word(const std::string& text) {
  std::string word;
  std::istringstream(text) >> word;
  return word;
}

// Runs are named one a line.
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

std::string submit(const SlurmOptions& options, std::span<const PlannedRun> runs) {
  const fs::path folder = fs::absolute(options.out) / "slurm";
  make_directories(folder);
  const std::string base = next_file(folder).string();
  write_file_durably(base + ".runs", run_list(runs));
  write_file_durably(base + ".sh", slurm_script(fs::canonical(options.program), base + ".runs",
                                                options.retries, options.arguments));
  std::string array = "--array=0-" + std::to_string(runs.size() - 1);
  if (options.jobs > 0) array += "%" + std::to_string(options.jobs);
  std::vector<std::string> command = {
      "sbatch", "--parsable",         "--job-name=" + options.job_name,
      array,    "--ntasks=1",         "--requeue",
      kWarning, "--open-mode=append", "--output=" + (folder / "%A_%a.log").string()};
  command.insert(command.end(), options.sbatch.begin(), options.sbatch.end());
  command.push_back(base + ".sh");
  const std::string answer = answer_of_sbatch(command);
  const std::string job = first_word(answer.substr(0, answer.find(';')));
  write_file_durably(base + ".job", job + "\n");
  return job;
}

void refuse_second_submission(const fs::path& out) {
  const std::vector<std::string> jobs = live_slurm_jobs(out);
  if (jobs.empty()) return;
  throw Error("job " + jobs.front() + " is still at work on " + out.string() +
              "; watch it with tarl study status, or end it with scancel " + jobs.front());
}

// Tells what the folders say until Slurm knows no job of the study any more.
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

std::string slurm_script(const fs::path& program, const fs::path& runs_file, int retries,
                         const std::vector<std::string>& arguments) {
  std::string command = shell_quoted(program.string());
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  std::ostringstream out;
  out << "#!/bin/bash\n"
         "# One task of the array is one run of the study: line SLURM_ARRAY_TASK_ID of the list.\n"
         "folder=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" "
      << shell_quoted(runs_file.string())
      << ")\n"
         "# Slurm has ended an earlier life of this task, perhaps with its machine.\n"
         "if [ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ]; then rm -f \"$folder/lock\"; fi\n"
         "# The run gets the signals; this script waits for what it makes of them.\n"
         "trap : TERM USR1 INT\n"
         "task=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\n"
         "for attempt in $(seq 0 "
      << retries
      << "); do\n"
         "  sleep \"$attempt\"\n"
         "  srun --ntasks=1 --open-mode=append --output=\"$folder/train.log\" "
      << command
      << " train --resume --out \"$folder\"\n"
         "  code=$?\n"
         "  # Wrong settings (2) and values that are not finite (3) would come again.\n"
         "  if [ $code = 0 ] || [ $code = 2 ] || [ $code = 3 ]; then exit $code; fi\n"
         "  if [ $code = 75 ]; then\n"
         "    # Stopped after a checkpoint. A job that was cancelled is no longer RUNNING.\n"
         "    state=$(squeue --noheader --jobs=\"$task\" --format=%T 2>/dev/null)\n"
         "    if [ \"$state\" = RUNNING ]; then scontrol requeue \"$task\"; fi\n"
         "    exit 75\n"
         "  fi\n"
         "done\n"
         "exit 1\n";
  return out.str();
}

std::vector<std::string> live_slurm_jobs(const fs::path& out) {
  std::vector<std::string> live;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(out / "slurm", unknown)) {
    if (entry.path().extension() != ".job") continue;
    const std::string job = first_word(read_text(entry.path()));
    try {
      if (!first_word(output_of({"squeue", "--noheader", "--jobs=" + job})).empty()) {
        live.push_back(job);
      }
    } catch (const Error& problem) {
      // It fails on a job it has forgotten. While it cannot tell, the job may be at work.
      if (std::string(problem.what()).find("Invalid job id") == std::string::npos) {
        live.push_back(job);
      }
    }
  }
  std::sort(live.begin(), live.end());
  return live;
}

SlurmExecutor::SlurmExecutor(SlurmOptions options) : options_(std::move(options)) {
  require(!options_.program.empty(), "an executor without a program");
}

Execution SlurmExecutor::execute(std::span<const PlannedRun> runs, const ExecutionHooks& hooks) {
  if (runs.empty()) return Execution::kFinished;
  refuse_second_submission(options_.out);
  for (const PlannedRun& run : runs) prepare_run(run);
  for (std::size_t at = 0; at < runs.size(); at += kArraySize) {
    submit(options_, runs.subspan(at, std::min(kArraySize, runs.size() - at)));
  }
  return options_.wait ? follow(options_, runs, hooks) : Execution::kSubmitted;
}

}  // namespace tarl::study
