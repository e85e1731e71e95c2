// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/files.h"

namespace tarl::study {

// How the runs of an array are divided among its tasks on GPUs.
struct SlurmShares {
  std::size_t tasks = 0;    // 0: a task for each run, on processors
  std::size_t at_once = 0;  // runs that a task has on its GPU together
};

// What the tasks of an array have in common.
struct SlurmTasks {
  fs::path program;                    // what they start
  std::vector<std::string> arguments;  // of the program, in front of the verb
  fs::path out;                        // the study's folder
  fs::path runs;                       // the array's list of run folders, one a line
  int retries = 0;
  SlurmShares shares{};
};

// The script that each task of an array runs.
std::string slurm_script(const SlurmTasks& tasks);

}  // namespace tarl::study
