// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include <unistd.h>

#include "tarl/cli/json_output.h"
#include "tarl/cli/progress_bar.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/machine.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/selftest/kill_test.h"
#include "tarl/train/algorithm.h"
#include "tarl/train/config.h"
#include "tarl/train/signals.h"

namespace tarl::cli {

namespace {

// Short enough for a run of one second, with every part of a full one.
std::vector<std::string> short_settings(const agents::Entry& agent) {
  std::vector<std::string> set = {"learning_starts=200", "buffer_size=1000",
                                  "eval.count=5",        "eval.episodes=1",
                                  "batch_size=16",       "checkpoint.every=100"};
  set.insert(set.end(), agent.short_run.begin(), agent.short_run.end());
  return set;
}

std::vector<std::string> default_algos() {
  std::vector<std::string> names;
  for (const std::string& name : train::algorithm_names()) {
    if (train::parse_algorithm(name).agent().in_selftest) names.push_back(name);
  }
  return names;
}

selftest::KillTask task_of(const Args& args, const std::string& algo) {
  const train::Algorithm algorithm = train::parse_algorithm(algo);
  train::ConfigRequest request;
  request.algo = algorithm.name();
  const std::string env =
      args.value("--env").value_or(algorithm.discrete() ? "minatar/breakout" : "classic/pendulum");
  request.env = env;
  request.steps = args.value("--steps").value_or("2000");
  request.set = short_settings(algorithm.agent());
  for (std::string& given : args.values("--set")) request.set.push_back(std::move(given));
  train::resolve(request);  // refuses here what every run would refuse

  selftest::KillTask task;
  task.algo = algorithm.name();
  task.env = env;
  task.command = {kThisProgram, "train",  "--quiet", "--algo",      task.algo,
                  "--env",      task.env, "--steps", *request.steps};
  for (const std::string& setting : request.set) {
    task.command.insert(task.command.end(), {"--set", setting});
  }
  return task;
}

std::vector<selftest::KillTask> kill_tasks(const Args& args) {
  std::vector<std::string> algos = args.values("--algo");
  if (algos.empty()) algos = default_algos();
  const std::int64_t kills = args.whole("--kill", 90, 1, 1'000'000);
  const auto count = static_cast<std::int64_t>(algos.size());
  std::vector<selftest::KillTask> tasks;
  for (std::int64_t i = 0; i < count; ++i) {
    tasks.push_back(task_of(args, algos[static_cast<std::size_t>(i)]));
    tasks.back().kills = static_cast<int>(kills * (i + 1) / count - kills * i / count);
  }
  return tasks;
}

// One line redrawn in place; nothing if the output is not a terminal.
class Display {
 public:
  explicit Display(std::int64_t kills) : kills_(kills) {}

  ~Display() { clear(); }

  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  void show(const selftest::KillTask& task, std::int64_t kills) {
    if (!terminal_) return;
    const double share = static_cast<double>(kills) / static_cast<double>(kills_);
    std::fprintf(stderr, "\r\033[K%s %3.0f%% %lld/%lld kills  %s %s", share_bar(share).c_str(),
                 100 * share, static_cast<long long>(kills), static_cast<long long>(kills_),
                 task.algo.c_str(), task.env.c_str());
    std::fflush(stderr);
  }

  void clear() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }

 private:
  std::int64_t kills_;
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
};

void print_head(bool json) {
  if (json) return;
  std::printf("%-16s %-18s %6s %11s %6s %12s\n", "algorithm", "environment", "kills", "in a write",
              "runs", "differences");
  std::fflush(stdout);
}

void print_row(const selftest::KillTask& task, const selftest::KillResult& result, bool json) {
  if (json) {
    return print_json_line({{"algo", task.algo},
                            {"env", task.env},
                            {"kills", result.kills},
                            {"inside_write", result.inside_write},
                            {"runs", result.runs},
                            {"differences", result.differences}});
  }
  std::printf("%-16s %-18s %6d %11d %6d %12zu\n", task.algo.c_str(), task.env.c_str(), result.kills,
              result.inside_write, result.runs, result.differences.size());
  for (const std::string& name : result.differences) std::printf("  %s differs\n", name.c_str());
  std::fflush(stdout);
}

int run_selftest(const Args& args) {
  const bool json = wants_json(args);
  const std::vector<selftest::KillTask> tasks = kill_tasks(args);
  std::int64_t asked = 0;
  for (const selftest::KillTask& task : tasks) asked += task.kills;
  const Rng root = seeded(static_cast<std::uint64_t>(args.whole("--seed", 0, 0, 1'000'000'000)));
  const train::SignalGuard signals;
  const ScratchFolder scratch("tarl-selftest");
  Display display(asked);
  print_head(json);
  selftest::KillResult all;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    display.show(tasks[i], all.kills);
    const std::string name = std::to_string(i);
    const selftest::KillResult result = selftest::kill_and_compare(
        tasks[i], scratch / name, root.fork(name),
        {.stop = train::stop_requested, .progress = [&](const selftest::KillResult& so_far) {
           display.show(tasks[i], all.kills + so_far.kills);
         }});
    display.clear();
    print_row(tasks[i], result, json);
    all.kills += result.kills;
    all.inside_write += result.inside_write;
    all.runs += result.runs;
    all.differences.insert(all.differences.end(), result.differences.begin(),
                           result.differences.end());
    fs::remove_all(scratch / name);
  }
  if (!json) {
    std::printf(
        "%d kills, %d inside a checkpoint write (%d %%), %zu differences from the unbroken "
        "runs in %d runs\n",
        all.kills, all.inside_write, 100 * all.inside_write / std::max(all.kills, 1),
        all.differences.size(), all.runs);
  }
  return all.differences.empty() ? kExitGood : kExitFailed;
}

}  // namespace

Verb selftest_verb() {
  return {
      .name = "selftest",
      .summary = "kill -9 short runs on this machine again and again, resume, compare the bits",
      .usage = "[--kill N] [--algo NAME]... [--env NAME] [--steps N] [--set key=value]... [--json]",
      .options =
          {{"--kill", "N", "kills, shared by the algorithms (default 90)", {}},
           {"--algo", "NAME", "algorithm; may be repeated (default: 18 of them)", {}},
           {"--env",
            "NAME",
            "environment (default minatar/breakout; classic/pendulum for continuous actions)",
            {}},
           {"--steps", "N", "environment steps of a run (default 2000)", {}},
           {"--set", "KEY=VALUE", "change one setting of the runs; may be repeated", {}},
           {"--seed", "N", "of the instants of the kills (default 0)", {}},
           {"--json", "", "one JSON object a line", {}}},
      .examples = {"tarl selftest", "tarl selftest --kill 500",
                   "tarl selftest --kill 50 --algo ta-dqn+per --env minatar/asterix"},
      .run = run_selftest};
}

}  // namespace tarl::cli
