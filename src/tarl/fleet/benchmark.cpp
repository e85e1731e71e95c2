// SPDX-License-Identifier: MIT
#include "tarl/fleet/benchmark.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/fleet/minatar_dqn/specify.h"

namespace tarl::fleet {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWarmUp = 1'000;  // steps, the last of them with updates

// Every run makes its steps up to `stop`; seconds until the last has.
double advance(std::vector<std::unique_ptr<DeviceRun>>& runs, std::int64_t stop) {
  const Clock::time_point begin = Clock::now();
  for (const auto& run : runs) run->start(stop);
  for (const auto& run : runs) {
    while (!run->ended()) std::this_thread::yield();
  }
  const std::chrono::duration<double> spent = Clock::now() - begin;
  for (const auto& run : runs) {
    if (run->report().position.step < stop) throw Error("a slice ended before its time");
  }
  return spent.count();
}

}  // namespace

FleetRate measure_fleet(const train::RunConfig& asked, int agents, double seconds) {
  train::RunConfig config = asked;
  config.learning_starts = kWarmUp / 2;
  config.exploration_fraction = 0;  // a random action costs nothing
  config.eval.count = 1;
  std::vector<std::unique_ptr<DeviceRun>> fleet;
  for (int i = 0; i < agents; ++i) {
    config.seed = asked.seed + i;
    fleet.push_back(new_device_run(config));
  }
  std::int64_t step = kWarmUp;
  advance(fleet, step);
  std::vector<double> times;
  for (double spent = 0; spent < seconds || times.size() < 3; spent += times.back()) {
    step += kLongestSlice;
    if (step >= config.steps) throw UsageError("the run is too short to be measured");
    times.push_back(advance(fleet, step));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  const double median = times[times.size() / 2];
  return {agents * static_cast<double>(kLongestSlice) / median, 1e6 * median / kLongestSlice};
}

}  // namespace tarl::fleet
