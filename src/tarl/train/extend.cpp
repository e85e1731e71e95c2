// SPDX-License-Identifier: MIT
#include "tarl/train/extend.h"

#include <numeric>

#include "tarl/core/error.h"

namespace tarl::train {

namespace {

bool anneals_beta(const RunConfig& config) {
  const bool weighs = config.replay_in_use().kind != replay::Kind::kUniform;
  return weighs && config.replay.beta < 1;
}

}  // namespace

std::int64_t steps_of_schedules(const RunConfig& config) {
  return config.schedule.steps > 0 ? config.schedule.steps : config.steps;
}

std::int64_t evaluations_due(const RunConfig& config, std::int64_t step) {
  return evaluations_due(step, steps_of_schedules(config), config.eval.count);
}

std::int64_t step_of_evaluation(const RunConfig& config, std::int64_t evaluations) {
  return step_of_evaluation(evaluations, steps_of_schedules(config), config.eval.count);
}

std::int64_t steps_in_force(const RunConfig& config, std::int64_t step) {
  if (config.schedule.steps > 0) return config.schedule.steps;
  const ExtendedConfig& extended = config.extended;
  for (std::size_t i = 0; i < extended.at.size(); ++i) {
    if (extended.at[i] != kNotYet && step <= extended.at[i]) return extended.from[i];
  }
  return config.steps;
}

std::int64_t next_total(const RunConfig& config, std::int64_t steps) {
  const std::int64_t all = steps_of_schedules(config);
  const std::int64_t unit = all / std::gcd(all, config.eval.count);
  return (steps + unit - 1) / unit * unit;
}

RunConfig extended(RunConfig config, std::int64_t steps, std::int64_t at) {
  if (steps <= config.steps) {
    throw UsageError("steps: " + std::to_string(config.steps) + " -> " + std::to_string(steps) +
                     ": a run can be made longer, not shorter");
  }
  if (next_total(config, steps) != steps) {
    throw UsageError(
        "a run of " + std::to_string(steps) +
        " steps would not end with an evaluation: " + std::to_string(config.eval.count) +
        " are made in " + std::to_string(steps_of_schedules(config)) +
        " steps, and a longer run keeps their spacing; choose " +
        std::to_string(next_total(config, steps)) + " steps");
  }
  config.extended.from.push_back(config.steps);
  config.extended.at.push_back(at);
  if (config.schedule.steps > 0) {
    config.steps = steps;
    return config;
  }
  __extension__ using Wide = __int128;
  config.eval.count =
      static_cast<std::int64_t>(static_cast<Wide>(config.eval.count) * steps / config.steps);
  config.steps = steps;
  return config;
}

bool wants_extension(const RunConfig& config) {
  return !config.extended.at.empty() && config.extended.at.back() == kNotYet;
}

RunConfig caught_up(RunConfig saved, const RunConfig& whole) {
  const ExtendedConfig& all = whole.extended;
  for (std::size_t i = saved.extended.from.size(); i < all.from.size(); ++i) {
    if (saved.steps != all.from[i]) return saved;
    const std::int64_t next = i + 1 < all.from.size() ? all.from[i + 1] : whole.steps;
    saved = extended(saved, next, all.at[i]);
  }
  return saved;
}

std::vector<std::string> length_schedules(const RunConfig& config) {
  std::vector<std::string> names;
  if (config.schedule.steps > 0) return names;
  if (config.algorithm().agent().epsilon_greedy && config.exploration_fraction > 0 &&
      config.exploration_initial_eps != config.exploration_final_eps) {
    names.emplace_back("exploration_fraction");
  }
  if (anneals_beta(config)) names.emplace_back("replay.beta");
  if (config.learning_rate_schedule != Schedule::kConstant) {
    names.emplace_back("learning_rate_schedule");
  }
  return names;
}

std::string describe_extension(const RunConfig& config) {
  const std::int64_t before = config.extended.from.back(), at = config.extended.at.back();
  std::string line =
      "made longer at step " + std::to_string(at) + ": steps " + std::to_string(before) + " -> " +
      std::to_string(config.steps) +
      (config.schedule.steps > 0 ? std::string("; evaluations keep their spacing")
                                 : "; evaluations keep their spacing (eval.count = " +
                                       std::to_string(config.eval.count) + ")");
  std::string names;
  for (const std::string& name : length_schedules(config)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? line + "; no setting depends on the number of steps"
                       : line + "; from here on the new number of steps applies to: " + names;
}

}  // namespace tarl::train
