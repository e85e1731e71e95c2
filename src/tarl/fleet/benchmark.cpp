// SPDX-License-Identifier: MIT
#include "tarl/fleet/benchmark.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/minatar_dqn/specify.h"

namespace tarl::fleet {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMarginSeconds = 0.1;  // per margin
constexpr double kMarginBudget = 0.1;

// Advances every run to `stop`; returns the seconds until the last one is done.
double advance(std::vector<std::unique_ptr<DeviceRun>>& runs, std::int64_t stop) {
  const Clock::time_point begin = Clock::now();
  for (const auto& run : runs) run->start(stop);
  for (const auto& run : runs) {
    while (!run->ended()) std::this_thread::yield();
  }
  const std::chrono::duration<double> spent = Clock::now() - begin;
  for (const auto& run : runs) {
    if (run->report().position.step < stop) throw Error("a slice ended early");
  }
  return spent.count();
}

std::vector<train::MarginCost> measure_margins(train::RunConfig config, int agents,
                                               const MeasuredSteps& steps) {
  config.steps = 1'000'000'000'000;
  std::vector<train::MarginCost> costs;
  for (const double margin : train::kMargins) {
    config.align.margin = margin;
    const int oversampling = config.oversampling();
    if (oversampling < config.batch_size || (!costs.empty() && !why_not(config).empty())) continue;
    const FleetRate rate = measure_fleet(config, agents, kMarginSeconds, steps);
    costs.push_back({margin, oversampling, rate.step_us / 1e6});
  }
  return costs;
}

}  // namespace

FleetRate measure_fleet(const train::RunConfig& config, int agents, double seconds,
                        const MeasuredSteps& steps) {
  std::vector<train::RunConfig> configs(static_cast<std::size_t>(agents), config);
  for (int i = 0; i < agents; ++i) configs[static_cast<std::size_t>(i)].seed += i;
  return measure_fleet(configs, seconds, steps);
}

FleetRate measure_fleet(const std::vector<train::RunConfig>& configs, double seconds,
                        const MeasuredSteps& steps) {
  std::vector<std::unique_ptr<DeviceRun>> fleet;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (train::RunConfig config : configs) {
    config.learning_starts = steps.warm_up / 2;
    config.exploration_fraction = 0;  // random actions would skip the forward pass
    config.eval.count = 1;
    config.schedule = {};
    shortest = std::min(shortest, config.steps);
    fleet.push_back(new_device_run(config));
  }
  std::int64_t step = steps.warm_up;
  advance(fleet, step);
  std::vector<double> times;
  for (double spent = 0; spent < seconds || times.size() < 3; spent += times.back()) {
    step += steps.slice;
    if (step >= shortest) throw UsageError("the run is too short to be measured");
    times.push_back(advance(fleet, step));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  const double median = times[times.size() / 2];
  const auto slice = static_cast<double>(steps.slice);
  return {static_cast<double>(configs.size()) * slice / median, 1e6 * median / slice};
}

train::MarginRule fleet_margins(int agents, const MeasuredSteps& steps) {
  return {[agents, steps](const train::RunConfig& config, int) {
            return measure_margins(config, agents, steps);
          },
          "a step of " + std::to_string(agents) + " agents", kMarginBudget};
}

}  // namespace tarl::fleet
