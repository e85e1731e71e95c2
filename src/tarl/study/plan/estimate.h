// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tarl/study/plan/grid.h"
#include "tarl/train/benchmark.h"

namespace tarl::study {

// The resources a study needs.
struct Estimate {
  std::size_t runs = 0;
  std::size_t finished = 0;             // of them, according to their folders
  double steps = 0;                     // of all runs
  double steps_left = 0;                // of those not finished
  double core_seconds = 0;              // for the rest, without evaluations
  double run_memory_bytes = 0;          // of the largest run
  double run_disk_bytes = 0;            // of the largest run while it trains: mostly checkpoints
  double final_disk_bytes = 0;          // of all runs when finished
  double device_bytes = 0;              // of the largest run on a GPU; 0 if no fleet runs any
  double device_host_bytes = 0;         // and on the machine beside the GPU
  std::vector<std::string> unmeasured;  // conditions that this machine cannot run, and why
};

// Measures each condition in each environment briefly, in about `seconds` at most in total.
Estimate estimate(std::span<const PlannedRun> runs, double seconds);

// Four human-readable lines. `at_once` runs are trained side by side, on a GPU or on processors,
// which the time was measured on.
std::string estimate_text(const Estimate& estimate, std::size_t at_once, bool on_gpu = false);

}  // namespace tarl::study
