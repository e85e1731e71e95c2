// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/core/files.h"
#include "tarl/train/config.h"

namespace tarl::train {

struct BenchmarkRow {
  std::string name;            // "ta-dqn minatar/breakout"
  double updates_per_s = 0;    // gradient steps alone (sampling, scoring, keeping included)
  double env_steps_per_s = 0;  // the whole loop: act, step, store, learn
  double gflops = 0;           // of the update, counted as dense
  double peak_gflops = 0;      // FMA peak of the threads used, measured alongside
  double fraction = 0;         // gflops / peak_gflops
  double replay_mb = 0;        // memory of a full replay buffer
};

// Steps before a benchmark's run learns.
inline constexpr std::int64_t kBenchmarkWarmUp = 2000;

// An endless run without evaluations that learns after so many steps.
RunConfig endless(RunConfig config, std::int64_t learning_starts);

// Times a run's update and its loop for about `seconds` each. `scratch` is a folder for logs.
BenchmarkRow benchmark(RunConfig config, int threads, double seconds, const fs::path& scratch);

// What a run costs, estimated from a short stretch of it.
struct RunCost {
  double warm_up_steps_per_s = 0;  // before learning starts
  double steps_per_s = 0;          // while it learns, without evaluations
  double replay_bytes = 0;         // of a full replay
  double agent_bytes = 0;          // networks, optimisers, batches
  double model_bytes = 0;          // of the model file
};

// Steps a run for about `seconds` on one thread. Throws UsageError if it does not fit in this
// machine's memory.
RunCost measure_cost(RunConfig config, double seconds, const fs::path& scratch);

}  // namespace tarl::train
