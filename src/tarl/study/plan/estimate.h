// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tarl/study/plan/grid.h"
#include "tarl/train/benchmark.h"

namespace tarl::study {

// What a study asks of a machine.
struct Estimate {
  std::size_t runs = 0;
  std::size_t finished = 0;             // of them, as their folders say
  double steps = 0;                     // of all runs
  double steps_left = 0;                // of those not finished
  double core_seconds = 0;              // for what is left; evaluations left out
  double run_memory_bytes = 0;          // of the largest run
  double run_disk_bytes = 0;            // of the largest run while it trains: checkpoints above all
  double final_disk_bytes = 0;          // of all runs when they are finished
  double device_bytes = 0;              // of the largest run on a GPU: replay and networks
  std::vector<std::string> unmeasured;  // conditions that this machine cannot run, and why
};

// Measures each condition in each environment for a moment, in at most about `seconds` altogether.
Estimate estimate(std::span<const PlannedRun> runs, double seconds);

// Four lines for people. `at_once` runs go on side by side.
std::string estimate_text(const Estimate& estimate, std::size_t at_once);

}  // namespace tarl::study
