// SPDX-License-Identifier: MIT
#include "tarl/train/margin.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/train/loop.h"

namespace tarl::train {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kStepsBefore = 500;  // of random play, to draw from
constexpr double kSecondsInAll = 1;
constexpr double kSecondsInARow = 0.003;  // short enough to fall between two disturbances
constexpr int kFewestRounds = 3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The time of one update, averaged over a short window.
double time_updates(Learner& learner, Means& means) {
  const Clock::time_point start = Clock::now();
  int updates = 0;
  double elapsed = 0;
  do {
    learner.step(0.5, means);
    ++updates;
    elapsed = seconds_since(start);
  } while (elapsed < kSecondsInARow);
  means.take();
  return elapsed / updates;
}

// Only random play.
RunConfig playing(RunConfig config) {
  config.align.margin = kMargins.back();  // the agent is built for the largest
  config.align.trace = 0;
  config.steps = 1'000'000'000'000;
  config.eval.count = 1;
  config.checkpoint.every = 0;
  config.learning_starts = config.steps;
  config.log = {.tensorboard = false, .csv = false};
  return config;
}

std::string line(const char* format, double margin, int b, double microseconds, double percent) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), format, margin, b, microseconds, percent);
  return text.data();
}

std::vector<MarginCost> measure_updates(const RunConfig& config, int threads) {
  const RunConfig largest = playing(config);
  const ScratchFolder scratch("tarl-margin");
  Team team(threads);
  store::RunLogs logs(scratch.path(), {.env_id = config.env, .tensorboard = false, .csv = false});
  Loop loop(largest, team, logs);
  loop.run({.stop = [&] { return loop.step() >= kStepsBefore; },
            .progress = {},
            .checkpoint = {},
            .stored = {}});

  std::vector<MarginCost> costs;
  std::vector<std::unique_ptr<Learner>> learners;  // all with the same agent and replay
  const rl::EnvSpec spec = environments_of(largest)(Rng{})->spec();
  for (const double margin : kMargins) {
    RunConfig one = largest;
    one.align.margin = margin;
    costs.push_back({margin, one.oversampling(), std::numeric_limits<double>::infinity()});
    learners.push_back(
        std::make_unique<Learner>(one, loop.agent(), loop.replay(), spec, seeded(0)));
  }
  Means means;
  const Clock::time_point start = Clock::now();
  for (int round = 0; round < kFewestRounds || seconds_since(start) < kSecondsInAll; ++round) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      costs[i].seconds = std::min(costs[i].seconds, time_updates(*learners[i], means));
    }
  }
  return costs;
}

// What was measured, one line per margin, and what was chosen.
std::vector<std::string> report_of(const std::string& what, std::span<const MarginCost> costs,
                                   const RunConfig& settled) {
  std::vector<std::string> lines = {"align.margin = auto: what " + what + " of " + settled.algo +
                                        " on " + settled.env + " costs here",
                                    "  margin      b         us    more"};
  for (const MarginCost& cost : costs) {
    lines.push_back(line("  %6.1f %6d %10.1f %+6.0f %%", cost.margin, cost.oversampling,
                         1e6 * cost.seconds, 100 * (cost.seconds / costs.front().seconds - 1)));
  }
  lines.push_back("align.margin = " + format_number(settled.align.margin) +
                  ": the largest that costs at most " + format_number(100 * settled.align.budget) +
                  " % more (align.budget)");
  return lines;
}

}  // namespace

const MarginRule& processor_margins() {
  static const MarginRule rule{measure_updates, "an update", 0.25};
  return rule;
}

double choose_margin(std::span<const MarginCost> costs, double budget) {
  require(!costs.empty(), "margins were measured");
  double chosen = costs.front().margin;
  for (const MarginCost& cost : costs) {
    if (cost.seconds <= (1 + budget) * costs.front().seconds) {
      chosen = std::max(chosen, cost.margin);
    }
  }
  return chosen;
}

RunConfig with_margin(RunConfig config, int threads,
                      const std::function<void(const std::string&)>& notice,
                      const MarginRule& rule) {
  if (!config.margin_is_open()) return config;
  if (config.align.mode != align::Mode::kFilter) {
    throw UsageError(std::string("align.margin = auto is for align.mode = filter, not for ") +
                     align::kModeNames[static_cast<std::size_t>(config.align.mode)] +
                     "; leave the margin out");
  }
  const std::vector<MarginCost> costs = rule.measure(config, threads);
  if (std::isnan(config.align.budget)) config.align.budget = rule.budget;
  config.align.margin = choose_margin(costs, config.align.budget);
  if (!notice) return config;
  for (const std::string& text : report_of(rule.what, costs, config)) notice(text);
  return config;
}

}  // namespace tarl::train
