// SPDX-License-Identifier: MIT
#include "tarl/study/executors/slurm_script.h"

#include "tarl/core/shell_words.h"

namespace tarl::study {

namespace {

// Of a task that has one run.
std::string begin_of_run(const SlurmTasks& tasks) {
  return "# One task of the array is one run of the study: line SLURM_ARRAY_TASK_ID of the list.\n"
         "folder=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" " +
         shell_quoted(tasks.runs.string()) +
         ")\n"
         "# Slurm has ended an earlier life of this task, perhaps with its machine.\n"
         "if [ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ]; then rm -f \"$folder/lock\"; fi\n"
         "# The run gets the signals; this script waits for what it makes of them.\n";
}

std::string work_on_run(const std::string& program) {
  return "srun --ntasks=1 --open-mode=append --output=\"${folder//%/%%}/train.log\" " + program +
         " train --resume --out \"$folder\"";
}

// Of a task that has a share of the runs on its GPU.
std::string begin_of_share() {
  return "# One task of the array takes its share of the runs onto its GPU, then what others "
         "leave.\n"
         "# The fleet gets the signals; this script waits for what it makes of them.\n";
}

std::string work_on_share(const SlurmTasks& tasks, const std::string& program) {
  return "srun --ntasks=1 ${SLURM_CPUS_PER_TASK:+--cpus-per-task=$SLURM_CPUS_PER_TASK} " + program +
         " study work " + shell_quoted(tasks.out.string()) + " --runs " +
         shell_quoted(tasks.runs.string()) + " --task \"$SLURM_ARRAY_TASK_ID\" --tasks " +
         std::to_string(tasks.shares.tasks) + " --jobs " + std::to_string(tasks.shares.at_once) +
         " --retries " + std::to_string(tasks.retries);
}

}  // namespace

std::string slurm_script(const SlurmTasks& tasks) {
  std::string program = shell_quoted(tasks.program.string());
  for (const std::string& argument : tasks.arguments) program += " " + shell_quoted(argument);
  const bool shares = tasks.shares.tasks > 0;
  return "#!/bin/bash\n" + (shares ? begin_of_share() : begin_of_run(tasks)) +
         "trap : TERM USR1 INT\n"
         "task=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\n"
         "for attempt in $(seq 0 " +
         std::to_string(tasks.retries) +
         "); do\n"
         "  sleep \"$attempt\"\n"
         "  " +
         (shares ? work_on_share(tasks, program) : work_on_run(program)) +
         "\n"
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
}

}  // namespace tarl::study
