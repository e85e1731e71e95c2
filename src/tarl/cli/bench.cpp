// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/cli/config_request.h"
#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/envs/registry.h"
#include "tarl/fleet/benchmark.h"
#include "tarl/train/benchmark.h"
#include "tarl/train/margin.h"
#include "tarl/train/roofline.h"

namespace tarl::cli {

namespace {

struct Task {
  std::string algo;
  std::string env;
  std::optional<std::string> preset;
};

// An update every step, as in the other libraries' scripts.
std::vector<Task> default_tasks() {
  std::vector<Task> tasks;
  for (const char* env : {"minatar/breakout", "minatar/seaquest"}) {
    for (const char* algo : {"dqn", "ta-dqn"}) tasks.push_back({algo, env, "paper-listing"});
  }
  for (const char* algo : {"dqn+per", "ta-dqn+reaper"}) {
    tasks.push_back({algo, "minatar/breakout", "paper-listing"});
  }
  return tasks;
}

std::vector<Task> asked_tasks(const Args& args) {
  std::vector<Task> tasks;
  const std::vector<std::string> algos = args.values("--algo"), envs = args.values("--env");
  if (algos.empty() && envs.empty()) return default_tasks();
  for (const std::string& env :
       envs.empty() ? std::vector<std::string>{"minatar/breakout"} : envs) {
    for (const std::string& algo : algos.empty() ? std::vector<std::string>{"ta-dqn"} : algos) {
      tasks.push_back({algo, env, args.value("--preset")});
    }
  }
  return tasks;
}

void print_row(const train::BenchmarkRow& row, bool json) {
  if (json) {
    print_json_line({{"name", row.name},
                     {"updates_per_s", row.updates_per_s},
                     {"env_steps_per_s", row.env_steps_per_s},
                     {"gflops", row.gflops},
                     {"peak_gflops", row.peak_gflops},
                     {"fraction", row.fraction},
                     {"replay_mb", row.replay_mb}});
  } else {
    std::printf("%-34s %9.0f %11.0f %8.1f %8.1f %6.0f %% %9.1f\n", row.name.c_str(),
                row.updates_per_s, row.env_steps_per_s, row.gflops, row.peak_gflops,
                100 * row.fraction, row.replay_mb);
  }
  std::fflush(stdout);
}

train::RunConfig config_of(const Task& task, const Args& args) {
  train::ConfigRequest request;
  request.algo = task.algo;
  request.env = task.env;
  request.preset = task.preset;
  request.set = args.values("--set");
  return train::resolve(request);
}

void print_roofline_json(const train::Roofline& roofline) {
  Json parts = Json::array();
  for (const train::RooflinePart& part : roofline.parts) {
    parts.push_back({{"name", part.name},
                     {"us", 1e6 * part.seconds},
                     {"share", part.seconds / roofline.update_seconds},
                     {"mflop", 1e-6 * part.operations},
                     {"mbytes", 1e-6 * part.bytes},
                     {"bound", train::kBoundNames[static_cast<std::size_t>(part.bound)]}});
  }
  print_json_line({{"name", roofline.name},
                   {"update_us", 1e6 * roofline.update_seconds},
                   {"peak_gflops", 1e-9 * roofline.ceilings.multiply_adds},
                   {"caches_gbytes_per_s", 1e-9 * roofline.ceilings.caches},
                   {"memory_gbytes_per_s", 1e-9 * roofline.ceilings.memory},
                   {"divisions_gbytes_per_s", 1e-9 * roofline.ceilings.divisions},
                   {"parts", parts}});
}

// Acting comes last and is no part of the update.
void print_roofline(const train::Roofline& roofline) {
  const train::Ceilings& most = roofline.ceilings;
  std::printf("%s: %.1f us an update\n", roofline.name.c_str(), 1e6 * roofline.update_seconds);
  std::printf(
      "  at most %.0f GFLOP/s of multiply-adds; GB/s: %.0f of caches, %.0f of memory, %.0f of "
      "divisions and roots\n",
      1e-9 * most.multiply_adds, 1e-9 * most.caches, 1e-9 * most.memory, 1e-9 * most.divisions);
  std::printf("  %-10s %10s %8s %10s %10s %9s  %s\n", "part", "us", "share", "MFLOP", "MB",
              "of peak", "bound by");
  for (const train::RooflinePart& part : roofline.parts) {
    const double of_peak =
        part.seconds > 0 ? 100 * part.operations / part.seconds / most.multiply_adds : 0;
    std::printf("  %-10s %10.1f %6.1f %% %10.2f %10.3f %7.0f %%  %s\n", part.name.c_str(),
                1e6 * part.seconds, 100 * part.seconds / roofline.update_seconds,
                1e-6 * part.operations, 1e-6 * part.bytes, of_peak,
                train::kBoundNames[static_cast<std::size_t>(part.bound)]);
  }
  std::fflush(stdout);
}

// One thread: what bounds a core.
int run_roofline(const Args& args) {
  for (const char* other : {"--fleet", "--threads"}) {
    if (args.has(other)) {
      throw UsageError(std::string("--roofline looks at one thread of the CPU; leave out ") +
                       other);
    }
  }
  const double seconds = args.number("--seconds", 0.01, 600).value_or(2);
  for (const Task& task : asked_tasks(args)) {
    const ScratchFolder scratch("tarl-bench");
    const train::RunConfig config = train::with_margin(config_of(task, args), 1, tell);
    const train::Roofline roofline = train::measure_roofline(config, seconds, scratch.path());
    args.has("--json") ? print_roofline_json(roofline) : print_roofline(roofline);
  }
  return kExitGood;
}

void print_fleet_row(const train::RunConfig& config, int agents, const fleet::FleetRate& rate,
                     bool json) {
  const std::string name = config.env + " " + config.algo;
  const char* precision = train::kPrecisionNames[static_cast<std::size_t>(config.fleet.precision)];
  if (json) {
    return print_json_line({{"name", name},
                            {"precision", precision},
                            {"agents", agents},
                            {"agent_steps_per_s", rate.agent_steps_per_s},
                            {"step_us", rate.step_us}});
  }
  std::printf("%-34s %9s %7d %14.0f %10.1f\n", name.c_str(), precision, agents,
              rate.agent_steps_per_s, rate.step_us);
  std::fflush(stdout);
}

// Concurrent agents on the GPU, an update every step unless a preset says otherwise.
int run_fleet(const Args& args) {
  std::vector<Task> tasks;
  if (args.values("--algo").empty() && args.values("--env").empty()) {
    for (const char* algo :
         {"dqn", "ta-dqn", "dqn+per", "ta-dqn+per", "dqn+reaper", "ta-dqn+reaper"})
      tasks.push_back({algo, "minatar/breakout", "paper-listing"});
  } else {
    tasks = asked_tasks(args);
  }
  std::vector<std::int64_t> sizes = args.wholes("--agents", 1, 1'000'000);
  if (sizes.empty()) sizes = {1, 30, 60, 120};
  const double seconds = args.number("--seconds", 0.01, 600).value_or(1);
  const bool json = args.has("--json");
  if (!json) {
    std::printf("%-34s %9s %7s %14s %10s\n", "name", "precision", "agents", "agent-steps/s",
                "us/step");
  }
  for (const Task& task : tasks) {
    const train::RunConfig asked = config_of(task, args);
    for (const std::int64_t size : sizes) {
      const auto agents = static_cast<int>(size);
      const train::RunConfig config =
          train::with_margin(asked, 1, tell, fleet::fleet_margins(agents));
      print_fleet_row(config, agents, fleet::measure_fleet(config, agents, seconds), json);
    }
  }
  return kExitGood;
}

int run_bench(const Args& args) {
  if (args.has("--roofline")) return run_roofline(args);
  if (args.has("--fleet")) return run_fleet(args);
  const bool json = args.has("--json");
  const int threads = compute_threads(args);
  const double seconds = args.number("--seconds", 0.01, 600).value_or(2);
  if (!json) {
    std::printf("%-34s %9s %11s %8s %8s %8s %9s\n", "name", "updates/s", "env steps/s", "GFLOP/s",
                "peak", "of peak", "replay MB");
  }
  for (const Task& task : asked_tasks(args)) {
    const ScratchFolder scratch("tarl-bench");
    const train::RunConfig config = train::with_margin(config_of(task, args), threads, tell);
    print_row(train::benchmark(config, threads, seconds, scratch.path()), json);
  }
  return kExitGood;
}

}  // namespace

Verb bench_verb() {
  return {
      .name = "bench",
      .summary = "measure updates/s, environment steps/s and the share of the FMA peak",
      .usage = "[--json] [--algo NAME]... [--env NAME]... [--threads N] [--seconds S] [--roofline]",
      .options =
          {{"--json", "", "one JSON object a line", {}},
           {"--algo", "NAME", "algorithm; may be repeated", {}},
           {"--env", "NAME", "environment; may be repeated", {}},
           {"--preset",
            "NAME",
            "settings to start from (default: the family's paper preset; paper-listing where "
            "neither --algo nor --env is given)",
            {}},
           {"--set", "KEY=VALUE", "change one setting; may be repeated", {}},
           {"--threads", "N", "compute threads (default 1)", {}},
           {"--roofline", "", "where an update's time goes, and what bounds it", {}},
           {"--fleet", "", "measure fleets of agents on the GPU instead", {}},
           {"--agents", "K", "size of a fleet; may be repeated (default 1, 30, 60, 120)", {}},
           {"--seconds", "S", "seconds for each of the two measurements (default 2)", {}}},
      .examples = {"tarl bench", "tarl bench --json --threads 2",
                   "tarl bench --roofline --algo sac --env mujoco/hopper",
                   "tarl bench --fleet --agents 120 --set fleet.precision=fp16",
                   "tarl bench --algo ta-dqn --env minatar/asterix --seconds 10"},
      .run = run_bench};
}

}  // namespace tarl::cli
