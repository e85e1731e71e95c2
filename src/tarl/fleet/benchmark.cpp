// SPDX-License-Identifier: MIT
#include "tarl/fleet/benchmark.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/fleet/specify.h"

namespace tarl::fleet {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWarmUp = 1'000;  // steps, the last of them with updates

// Every agent makes its steps up to `stop`; seconds until the last has.
double advance(std::vector<std::unique_ptr<DeviceAgent>>& agents, std::int64_t stop) {
  const Clock::time_point begin = Clock::now();
  for (const auto& agent : agents) agent->start(agent->head(), stop);
  for (const auto& agent : agents) {
    while (!agent->ended()) std::this_thread::yield();
    if (agent->head().end != SliceEnd::kRanOut) throw Error("a slice ended before its time");
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

FleetRate measure_fleet(const train::RunConfig& asked, int agents, double seconds) {
  train::RunConfig config = asked;
  config.learning_starts = kWarmUp / 2;
  config.exploration_fraction = 0;  // a random action costs nothing
  config.eval.count = 1;
  std::vector<std::unique_ptr<DeviceAgent>> fleet;
  for (int i = 0; i < agents; ++i) {
    config.seed = asked.seed + i;
    fleet.push_back(new_device_agent(config));
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
