// SPDX-License-Identifier: MIT
#include "tarl/train/benchmark.h"

#include <algorithm>
#include <chrono>

#include "tarl/nn/instruction_set.h"
#include "tarl/train/loop.h"

namespace tarl::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kWindowSeconds = 0.005;  // short enough to fall between two disturbances

// Best rate over many short windows: what the machine does when nobody disturbs it.
double best_update_rate(Learner& learner, double seconds) {
  Means means;
  double best = 0;
  for (const Clock::time_point start = Clock::now(); seconds_since(start) < seconds;) {
    const Clock::time_point window = Clock::now();
    int updates = 0;
    double elapsed = 0;
    while (elapsed < kWindowSeconds) {
      learner.step(0.5, means);
      ++updates;
      elapsed = seconds_since(window);
    }
    best = std::max(best, updates / elapsed);
    means.take();
  }
  return best;
}

}  // namespace

BenchmarkRow benchmark(RunConfig config, int threads, double seconds, const fs::path& scratch) {
  const std::int64_t warm_steps = 2000;
  config.steps = 1'000'000'000'000;
  config.eval.count = 1;
  config.checkpoint.every = 0;
  config.learning_starts = warm_steps;
  config.log = {.tensorboard = false, .csv = false};
  Team team(threads);
  store::RunLogs logs(scratch, {.env_id = config.env, .tensorboard = false, .csv = false});
  Loop loop(config, team, logs);

  loop.run(
      {.stop = [&] { return loop.step() >= warm_steps + 64; }, .progress = {}, .checkpoint = {}});
  const std::int64_t before = loop.step();
  const Clock::time_point start = Clock::now();
  loop.run(
      {.stop = [&] { return seconds_since(start) >= seconds; }, .progress = {}, .checkpoint = {}});
  BenchmarkRow row;
  row.env_steps_per_s = static_cast<double>(loop.step() - before) / seconds_since(start);

  const double peak_before = nn::measure_peak_gflops(0.1);
  row.updates_per_s = best_update_rate(loop.learner(), seconds);
  const double peak = std::max(peak_before, nn::measure_peak_gflops(0.1));
  const int kept = static_cast<int>(config.batch_size);
  const double flops =
      loop.agent().update_flops(kept + config.oversampling(), kept, config.needs_scores());
  row.name = config.algo + " " + config.env;
  row.gflops = row.updates_per_s * flops / 1e9;
  row.peak_gflops = peak * threads;
  row.fraction = row.gflops / row.peak_gflops;
  row.replay_mb = static_cast<double>(loop.replay().memory_bytes()) / 1e6;
  return row;
}

}  // namespace tarl::train
