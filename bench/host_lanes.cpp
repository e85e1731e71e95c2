// SPDX-License-Identifier: MIT
//
// Environment steps per second on the machine's cores: a pool of 1, 2, 4 ... pinned threads
// compared with a plain loop over the same environments. Random actions, resets included.
#include "tarl/fleet/host_lanes.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tarl/core/machine.h"
#include "tarl/envs/registry.h"
#include "tarl/rl/random_action.h"

namespace {

using namespace tarl;  // NOLINT(google-build-using-namespace)

struct Task {
  const char* env;
  int steps;  // per run
};

void choose(train::EnvSlots& slots) {
  for (int slot = 0; slot < slots.size(); ++slot) {
    const train::EnvSlotState state = slots.state(slot);
    state.action = rl::random_action(slots.spec().action, state.explore);
  }
}

void ignore(const train::FinishedEpisode&) {}

// Calls work() and returns its rate in steps per second.
template <class Work>
double rate(std::int64_t steps, Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(steps) / took.count();
}

double plain(const Task& task, const rl::MakeEnvironment& make, int runs) {
  std::vector<std::unique_ptr<train::EnvSlots>> all;
  for (int run = 0; run < runs; ++run) {
    all.push_back(std::make_unique<train::EnvSlots>(
        make, train::training_streams(seeded(static_cast<std::uint64_t>(run)), 1)));
  }
  return rate(std::int64_t{task.steps} * runs, [&] {
    for (int step = 0; step < task.steps; ++step) {
      for (const auto& slots : all) {
        choose(*slots);
        slots->step(0);
        for (const int slot : slots->end_step(ignore)) slots->reset(slot);
      }
    }
  });
}

double pooled(const Task& task, const rl::MakeEnvironment& make, int runs, std::vector<int> cpus) {
  CorePool pool({.cpus = std::move(cpus), .items = runs});
  std::vector<std::unique_ptr<fleet::HostLanes>> all;
  for (int run = 0; run < runs; ++run) {
    const fleet::HostLanes::Request request{.name = "run",
                                            .env = task.env,
                                            .make = make,
                                            .root = seeded(static_cast<std::uint64_t>(run))};
    all.push_back(std::make_unique<fleet::HostLanes>(pool, request));
  }
  return rate(std::int64_t{task.steps} * runs, [&] {
    for (const auto& run : all) {
      choose(run->slots());
      run->send();
    }
    while (const auto id = pool.receive()) {
      fleet::HostLanes& run = *all[static_cast<std::size_t>(*id)];
      if (run.in_step() && !run.end_step(ignore)) continue;
      if (run.step() == task.steps) continue;
      choose(run.slots());
      run.send();
    }
  });
}

}  // namespace

int main() {
  constexpr int kRunsPerCore = 4;
  const std::vector<int> cpus = usable_cpus();
  const int cores = static_cast<int>(cpus.size());
  std::printf("%-18s %10s", "steps/s", "plain");
  for (int threads = 1; threads <= cores; threads *= 2) std::printf(" %7d thr", threads);
  std::printf("\n");
  for (const Task& task : {Task{"minatar/breakout", 100'000}, Task{"classic/cartpole", 100'000},
                           Task{"mujoco/hopper", 1'000}}) {
    if (!envs::registry().entries().contains(task.env)) {
      std::printf("%-18s not in this build\n", task.env);
      continue;
    }
    const envs::Entry& entry = envs::registry().find(task.env);
    const rl::MakeEnvironment make = [&](Rng rng) { return entry.make({}, rng); };
    const int runs = kRunsPerCore * cores;
    std::printf("%-18s %10.0f", task.env, plain(task, make, runs));
    for (int threads = 1; threads <= cores; threads *= 2) {
      std::printf(" %11.0f", pooled(task, make, runs, {cpus.begin(), cpus.begin() + threads}));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}
