// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/agents/registry.h"
#include "tarl/align/align.h"
#include "tarl/align/terminals.h"
#include "tarl/core/fields.h"
#include "tarl/envs/registry.h"
#include "tarl/replay/config.h"
#include "tarl/train/algorithm.h"
#include "tarl/train/normalize_config.h"
#include "tarl/train/precision.h"
#include "tarl/train/schedules.h"

namespace tarl::train {

// After a NaN or Inf: stop the run, or skip that update.
enum class OnNan { kStop, kSkip };
inline constexpr std::array kOnNanNames = {"stop", "skip"};

struct AlignConfig {
  // Keeps as many terminals as the score would.
  static constexpr double kShareOfScore = std::numeric_limits<double>::quiet_NaN();
  // The default of the device that the margin is measured on, see margin.h.
  static constexpr double kBudgetOfDevice = std::numeric_limits<double>::quiet_NaN();

  align::Mode mode = align::Mode::kFilter;
  // b as a multiple of the batch size m; 0 is the plain agent; NaN until "auto" is measured
  double margin = 0;
  double budget = kBudgetOfDevice;  // extra cost that "auto" allows a margin, as a fraction
  double kappa = 1;                 // exponent of the score in the modes weight, scale, prioritize
  std::string score = "paper";      // of align::score_registry()
  align::Terminals terminals = align::Terminals::kScore;
  double terminal_share = kShareOfScore;  // of the kept rows, if terminals are matched
  bool log = false;                       // compute and log alignment even if the update ignores it
  std::int64_t trace = 0;  // updates between traced ones, whose candidates are written; 0: none

  bool terminals_by_score() const { return std::isnan(terminal_share); }
};

struct EvalConfig {
  std::int64_t count = 100;   // evaluations in a run
  std::int64_t episodes = 5;  // episodes per evaluation
  double epsilon = 0;         // probability of a random action in evaluations
};

struct CheckpointConfig {
  std::int64_t every = 50'000;  // environment steps; 0: only when a signal requests one
  bool keep = false;            // a finished run keeps its newest ones, the last from its end
};

// A run may be the first part of a longer one.
struct ScheduleConfig {
  std::int64_t steps = 0;  // that schedules and evaluations are spread over; 0: the run's
};

// How often the run was made longer (train/extend.h), one entry each time.
struct ExtendedConfig {
  std::vector<std::int64_t> from;  // its total until then
  std::vector<std::int64_t> at;    // the step after which it continued
};

struct LogConfig {
  bool tensorboard = true;
  bool csv = true;
  std::int64_t every = 0;  // environment steps between extra rows; 0: only evaluations
};

struct FleetConfig {
  Precision precision = Precision::kF32;  // of matrix products on a GPU; always f32 on the CPU
  std::int64_t blocks = 1;                // multiprocessors that share a run
};

// The caller's own environment, which is in no registry; kept alive by the settings of its runs.
using OwnEnv = std::shared_ptr<const envs::Entry>;

// Everything that decides a run's outcome.
struct RunConfig {
  std::string algo = "dqn";  // the algorithm's name, which has chosen some of these settings
  std::string env = "minatar/breakout";
  std::int64_t seed = 0;
  std::int64_t steps = 2'000'000;
  std::string label;  // of the condition, for reports

  std::int64_t buffer_size = 100'000;
  std::int64_t learning_starts = 5'000;
  std::int64_t batch_size = 32;
  double gamma = 0.99;
  double tau = 1.0;
  std::int64_t train_freq = 4;
  std::int64_t gradient_steps = 1;
  std::int64_t target_update_interval = 1'000;
  std::int64_t n_steps = 1;
  std::int64_t n_envs = 1;
  double exploration_initial_eps = 1.0;
  double exploration_final_eps = 0.01;
  double exploration_fraction = 0.05;
  Schedule learning_rate_schedule = Schedule::kConstant;
  std::int64_t stats_window_size = 100;
  OnNan on_nan = OnNan::kStop;

  agents::Settings agent = Algorithm().agent().settings();  // of the agent named by algo
  AlignConfig align;
  replay::ReplayConfig replay;
  NormalizeConfig normalize;
  EvalConfig eval;
  CheckpointConfig checkpoint;
  ScheduleConfig schedule;
  ExtendedConfig extended;
  LogConfig log;
  FleetConfig fleet;
  envs::EnvConfig env_config;

  OwnEnv own_env;  // the environment named by `env`, if it is in no registry

  // Throws UsageError if there is no such environment.
  const envs::Entry& environment() const { return own_env ? *own_env : envs::registry().find(env); }

  Algorithm algorithm() const { return parse_algorithm(algo); }

  // Whether the run is long enough for at least one update.
  bool learns() const { return steps / train_freq > learning_starts / train_freq; }

  // The agent's initial learning rate; 0 if it has no such setting.
  double learning_rate() const;

  // Whether the margin is still to be measured, see margin.h.
  bool margin_is_open() const { return std::isnan(align.margin); }

  // b, from the margin; 0 in modes that draw only m. Throws UsageError if the margin is open.
  int oversampling() const;
  // Whether updates depend on scores.
  bool uses_scores() const;
  // The replay that updates draw from: with align.mode = prioritize one by scores, whatever
  // replay.kind says.
  replay::ReplayConfig replay_in_use() const;
  // Whether updates need the online target of each candidate.
  bool needs_scores() const;
};

// The settings that concern this run's algorithm.
Fields fields(RunConfig& config);

// Whether a setting only affects how a run is monitored or where its files are, never its curves.
bool is_cosmetic(std::string_view key);

// What the user asked for, before presets and defaults.
struct ConfigRequest {
  std::optional<std::string> algo;    // default: the preset's if it names one, else ta-dqn
  std::optional<std::string> env;     // likewise, else minatar/breakout
  std::optional<std::string> preset;  // name, family/name or file; default: the family's "paper"
  std::optional<std::string> seed;
  std::optional<std::string> steps;
  std::optional<std::string> margin;
  std::vector<std::string> set;  // "key=value"
  std::string source = "--set";  // of these, for messages
  OwnEnv own_env{};              // instead of `env`
};

// The defaults of an algorithm; some choices may be left open, see completed().
RunConfig defaults_of(const Algorithm& algorithm);

// In order: defaults of the algorithm, preset, the algorithm's name (unless the preset names the
// same), flags, --set; then the choices still open, see completed(). Throws UsageError.
RunConfig resolve(const ConfigRequest& request);

// Throws UsageError if completed settings contradict each other.
void check(const RunConfig& config);

// The settings with which a run that has `stored` is resumed: its own, except for cosmetic ones in
// the request, and longer if the request has more steps. Throws UsageError that names whatever else
// differs between the request and the run.
RunConfig resumed(const RunConfig& stored, const ConfigRequest& request, const std::string& where);

// Replaces every choice left open ("-1", "auto", an empty list) by the value for the run's
// environment and replay. Code that computes a run accepts only completed settings.
// environment.rom_dir, which says where this machine has its files, may stay empty; a margin that
// is to be measured (margin.h) stays open. Throws UsageError if there is no such environment.
RunConfig completed(RunConfig config);

// Reads a config.toml back and completes it: those of earlier versions leave choices open. Throws
// UsageError with file and line.
RunConfig config_from_toml(const std::string& toml, const std::string& source,
                           const OwnEnv& own_env = {});
std::string config_to_toml(RunConfig config, bool with_help);

// Keys that differ, as "key: old -> new", without the cosmetic ones.
std::vector<std::string> differences(RunConfig before, RunConfig after);
// The cosmetic ones.
std::vector<std::string> cosmetic_differences(RunConfig before, RunConfig after);

// Throws UsageError about the run in `where` if anything changed.
void refuse_changes(const std::string& where, const std::vector<std::string>& changed,
                    const std::string& advice);

}  // namespace tarl::train
