// SPDX-License-Identifier: MIT
#include "tarl/train/config.h"

#include <algorithm>
#include <limits>

#include "tarl/core/error.h"

namespace tarl::train {

namespace {

constexpr double kMany = 1e15;

void append(Fields& out, Fields more) {
  for (Field& field : more) out.push_back(std::move(field));
}

Fields loop_fields(RunConfig& c) {
  return {
      text("algo", c.algo, "algorithm, e.g. ta-dqn+per"),
      text("env", c.env, "environment"),
      integer("seed", c.seed, 0, 9e15, "seed of every random stream of the run"),
      integer("steps", c.steps, 1, kMany, "environment steps of the run"),
      integer("schedule.steps", c.schedule.steps, 0, kMany,
              "with more than steps, the run is the first part of one that long: exploration, "
              "schedules and evaluations are spread over so many; 0: over the run"),
      text("label", c.label, "what reports call this run's condition; empty: by its settings"),
      integer("buffer_size", c.buffer_size, 1, kMany, "transitions that replay holds"),
      integer("learning_starts", c.learning_starts, 0, kMany,
              "steps of random play before learning"),
      integer("batch_size", c.batch_size, 1, 65536, "transitions an update learns from (m)"),
      number("gamma", c.gamma, 0, 1, "discount"),
      number("tau", c.tau, 0, 1, "share of the online network taken at a target sync; 1 copies it"),
      integer("train_freq", c.train_freq, 1, 1e9, "environment steps between updates"),
      integer("gradient_steps", c.gradient_steps, 1, 1e6, "updates each time"),
      integer("target_update_interval", c.target_update_interval, 1, kMany,
              c.algorithm().agent().syncs_by_steps ? "environment steps between target syncs"
                                                   : "updates between target syncs"),
      integer("n_steps", c.n_steps, 1, 1000, "steps of reward summed before bootstrapping"),
      integer("n_envs", c.n_envs, 1, 1024, "environments collected from side by side"),
      choice("learning_rate_schedule", c.learning_rate_schedule, kScheduleNames,
             "constant, or falling evenly to 0 at the end of the run (learning_rate = lin_1e-3 "
             "sets both)"),
      integer("stats_window_size", c.stats_window_size, 1, 1e6,
              "training episodes in the logged mean return"),
      choice("on_nan", c.on_nan, kOnNanNames,
             "after a value that is not finite: stop the run, or leave that update out"),
  };
}

Fields exploration_fields(RunConfig& c) {
  return {
      number("exploration_initial_eps", c.exploration_initial_eps, 0, 1,
             "chance of a random action at the start"),
      number("exploration_final_eps", c.exploration_final_eps, 0, 1,
             "chance of a random action after the decay"),
      number("exploration_fraction", c.exploration_fraction, 0, 1,
             "share of the run over which it decays"),
  };
}

Fields fleet_fields(RunConfig& c) {
  return {choice("fleet.precision", c.fleet.precision, kPrecisionNames,
                 "operands of products when a fleet runs this on a GPU; the CPU's are always f32"),
          integer("fleet.blocks", c.fleet.blocks, 1, 8,
                  "multiprocessors of the GPU that share this run: 1, 2, 4 or 8 (sums differ in "
                  "rounding)")};
}

Fields normalize_fields(NormalizeConfig& c) {
  return {
      flag("normalize.obs", c.obs, "shift and scale observations by their running moments"),
      flag("normalize.reward", c.reward,
           "scale rewards by the running standard deviation of the discounted return"),
      number("normalize.clip_obs", c.clip_obs, 1e-6, 1e6, "largest normalised observation"),
      number("normalize.clip_reward", c.clip_reward, 1e-6, 1e6, "largest normalised reward"),
      number("normalize.epsilon", c.epsilon, 1e-30, 1e3, "added to the variance"),
      number_or({"auto", std::numeric_limits<double>::quiet_NaN()},
                number("normalize.gamma", c.gamma, 0, 1,
                       "discount of the return that scales rewards; auto chooses gamma")),
  };
}

Fields group_fields(RunConfig& c) {
  return {
      choice("align.mode", c.align.mode, align::kModeNames, "how alignment scores are used"),
      number_or(
          {"auto", std::numeric_limits<double>::quiet_NaN()},
          number("align.margin", c.align.margin, 0, 1000,
                 "oversampling b as a multiple of batch_size; 0 is the plain agent; auto: the "
                 "largest within align.budget, measured before the run")),
      number_or({"device", AlignConfig::kBudgetOfDevice},
                number("align.budget", c.align.budget, 0, 100,
                       "with margin = auto: by what share a margin may cost more than the least; "
                       "device: as suits it (docs/algorithms/margin.md)")),
      number("align.kappa", c.align.kappa, 0, 100,
             "exponent of the score in the modes weight, scale and prioritize"),
      text("align.score", c.align.score, "what rows are chosen by (tarl list scores)"),
      choice("align.terminals", c.align.terminals, align::kTerminalsNames,
             "terminal transitions in the filter: score treats them as all others, exempt keeps "
             "them in proportion, match gives them a share and keeps the others as drawn"),
      number_or({"score", AlignConfig::kShareOfScore},
                number("align.terminal_share", c.align.terminal_share, 0, 1,
                       "with terminals = match: their share of the kept rows, or score: as many "
                       "as the score would keep")),
      flag("align.log", c.align.log, "log alignment even where the update ignores it"),
      integer("align.trace", c.align.trace, 0, kMany,
              "write the candidates of every so many updates to trace.npz; 0: none"),
      integer("eval.count", c.eval.count, 0, 1e9, "evaluations in a run, evenly spaced; 0: none"),
      integer("eval.episodes", c.eval.episodes, 1, 1e6, "episodes an evaluation"),
      number("eval.epsilon", c.eval.epsilon, 0, 1, "chance of a random action while evaluating"),
      integer("checkpoint.every", c.checkpoint.every, 0, kMany,
              "environment steps between checkpoints; 0: only when a signal asks"),
      flag("checkpoint.keep", c.checkpoint.keep,
           "keep the checkpoints of a finished run, so that --resume --steps can make it longer"),
      sizes("extended.from", c.extended.from, 1, kMany,
            "numbers of steps before the run was made longer (train --resume --steps)"),
      sizes("extended.at", c.extended.at, 0, kMany, "steps after which it went on longer"),
      flag("log.tensorboard", c.log.tensorboard, "write TensorBoard events"),
      flag("log.csv", c.log.csv, "write progress.csv and monitor.csv"),
      integer("log.every", c.log.every, 0, kMany,
              "environment steps between log rows beside those of evaluations; 0: none"),
  };
}

std::vector<std::string> changed(RunConfig& before, RunConfig& after, bool cosmetic) {
  const Fields old_fields = fields(before), new_fields = fields(after);
  std::vector<std::string> out;
  for (const Field& field : new_fields) {
    if (is_cosmetic(field.name) != cosmetic) continue;
    const auto old = std::find_if(old_fields.begin(), old_fields.end(),
                                  [&](const Field& other) { return other.name == field.name; });
    const std::string was = old == old_fields.end() ? "(none)" : old->to_toml();
    if (was != field.to_toml()) out.push_back(field.name + ": " + was + " -> " + field.to_toml());
  }
  return out;
}

}  // namespace

bool is_cosmetic(std::string_view key) {
  return key.starts_with("log.") || key.starts_with("checkpoint.") || key == "label" ||
         key == "align.trace" || key == "align.budget" || key == "environment.rom_dir";
}

double RunConfig::learning_rate() const {
  agents::Settings settings = agent;
  for (const Field& field : settings.table()) {
    const auto* rate = std::get_if<double*>(&field.value);
    if (field.name == "learning_rate" && rate != nullptr) return **rate;
  }
  return 0;
}

int RunConfig::oversampling() const {
  if (align.mode != align::Mode::kFilter) return 0;
  if (margin_is_open()) {
    throw UsageError(
        "align.margin = auto is measured by tarl train and tarl study run before they begin; "
        "give a number here");
  }
  return align::oversampling(align.margin, static_cast<int>(batch_size));
}

bool RunConfig::uses_scores() const {
  // Every margin that "auto" could choose does.
  if (align.mode == align::Mode::kFilter && margin_is_open()) return true;
  return oversampling() > 0 || align::weighs(align.mode) || align.mode == align::Mode::kPrioritize;
}

replay::ReplayConfig RunConfig::replay_in_use() const {
  replay::ReplayConfig settings = replay;
  if (align.mode == align::Mode::kPrioritize) {
    settings.kind = replay::Kind::kAlignment;
    settings.kappa = align.kappa;
  }
  return settings;
}

bool RunConfig::needs_scores() const {
  return align.log || uses_scores();
}

Fields fields(RunConfig& config) {
  Fields all = loop_fields(config);
  const agents::Entry& agent = config.algorithm().agent();
  if (agent.epsilon_greedy) append(all, exploration_fields(config));
  append(all, config.agent.table());
  if (agent.on_devices) append(all, fleet_fields(config));
  append(all, group_fields(config));
  append(all, normalize_fields(config.normalize));
  append(all, replay::fields(config.replay));
  append(all, envs::fields(config.env_config));
  for (Field& field : all) {
    if (field.name != "learning_rate") continue;
    field.prefix = Field::Prefix{"lin_", "learning_rate_schedule", "linear"};
  }
  return all;
}

std::string config_to_toml(RunConfig config, bool with_help) {
  return fields_to_toml(fields(config), with_help);
}

std::vector<std::string> differences(RunConfig before, RunConfig after) {
  return changed(before, after, false);
}

std::vector<std::string> cosmetic_differences(RunConfig before, RunConfig after) {
  return changed(before, after, true);
}

}  // namespace tarl::train
