// SPDX-License-Identifier: MIT
#include "tarl/train/benchmark.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "tarl/nn/instruction_set.h"
#include "tarl/train/loop.h"
#include "tarl/train/make_agent.h"

namespace tarl::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kWindowSeconds = 0.005;  // short enough to fall between two disturbances

// Best rate over many short windows: that of an undisturbed machine.
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

// Steps per second of a loop until `stop`, at least one step.
double step_rate(Loop& loop, const std::function<bool()>& stop) {
  const std::int64_t before = loop.step();
  const Clock::time_point start = Clock::now();
  loop.run({.stop = stop, .progress = {}, .checkpoint = {}});
  return static_cast<double>(loop.step() - before) / seconds_since(start);
}

}  // namespace

RunConfig endless(RunConfig config, std::int64_t learning_starts) {
  config.steps = 1'000'000'000'000;
  config.extended = {};
  if (config.margin_is_open()) config.align.margin = 1;
  config.align.trace = 0;
  config.eval.count = 1;
  config.checkpoint.every = 0;
  config.learning_starts = learning_starts;
  config.log = {.tensorboard = false, .csv = false};
  return config;
}

BenchmarkRow benchmark(RunConfig config, int threads, double seconds, const fs::path& scratch) {
  config = endless(std::move(config), kBenchmarkWarmUp);
  Team team(threads);
  store::RunLogs logs(scratch, {.env_id = config.env, .tensorboard = false, .csv = false});
  Loop loop(config, team, logs);

  loop.run({.stop = [&] { return loop.step() >= kBenchmarkWarmUp + 64; },
            .progress = {},
            .checkpoint = {}});
  BenchmarkRow row;
  const Clock::time_point start = Clock::now();
  row.env_steps_per_s = step_rate(loop, [&] { return seconds_since(start) >= seconds; });

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

RunCost measure_cost(RunConfig config, double seconds, const fs::path& scratch) {
  constexpr std::int64_t kWarmUp = 256;
  config = endless(std::move(config), kWarmUp);
  Team team(1);
  store::RunLogs logs(scratch, {.env_id = config.env, .tensorboard = false, .csv = false});
  Loop loop(config, team, logs);
  RunCost cost;
  const auto empty = static_cast<double>(loop.replay().memory_bytes());
  cost.warm_up_steps_per_s = step_rate(loop, [&] { return loop.step() >= kWarmUp; });
  // The first update touches all memory for the first time.
  const std::int64_t first = kWarmUp + config.train_freq + config.n_envs;
  step_rate(loop, [&] { return loop.step() >= first; });
  const Clock::time_point start = Clock::now();
  cost.steps_per_s = step_rate(loop, [&] { return seconds_since(start) >= seconds; });
  const Tensors model = loop.agent().parameters();
  for (const auto& [name, tensor] : model) {
    cost.model_bytes += static_cast<double>(tensor.bytes.size());
  }
  cost.replay_bytes = static_cast<double>(loop.replay().memory_bytes());
  if (config.replay.compress) {  // frames take room as they come, those of these steps for instance
    const auto share =
        static_cast<double>(loop.replay().capacity()) / static_cast<double>(loop.replay().size());
    cost.replay_bytes = empty + (cost.replay_bytes - empty) * share;
  }
  const auto env = environments_of(config)(seeded(0));
  cost.agent_bytes = agent_bytes(config, env->spec());
  return cost;
}

}  // namespace tarl::train
