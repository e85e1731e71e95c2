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

// After a NaN or an infinity: stop the run, or leave that update out.
enum class OnNan { kStop, kSkip };
inline constexpr std::array kOnNanNames = {"stop", "skip"};

struct AlignConfig {
  // As many terminals as the score would keep.
  static constexpr double kShareOfScore = std::numeric_limits<double>::quiet_NaN();
  // What suits the device that the margin is measured on, see margin.h.
  static constexpr double kBudgetOfDevice = std::numeric_limits<double>::quiet_NaN();

  align::Mode mode = align::Mode::kFilter;
  // b as a multiple of the batch size m; 0 is the plain agent; NaN until "auto" is measured
  double margin = 0;
  double budget = kBudgetOfDevice;  // what "auto" lets a margin cost more, as a share
  double kappa = 1;                 // exponent of the score in the modes weight, scale, prioritize
  std::string score = "paper";      // of align::score_registry()
  align::Terminals terminals = align::Terminals::kScore;
  double terminal_share = kShareOfScore;  // of the kept rows, where terminals are matched
  bool log = false;        // compute and log alignment even where the update ignores it
  std::int64_t trace = 0;  // updates between those whose candidates are written; 0 writes none

  bool terminals_by_score() const { return std::isnan(terminal_share); }
};

struct EvalConfig {
  std::int64_t count = 100;   // evaluations in a run
  std::int64_t episodes = 5;  // episodes each
  double epsilon = 0;         // chance of a random action while evaluating
};

struct CheckpointConfig {
  std::int64_t every = 50'000;  // environment steps; 0 writes none but the one a signal asks for
  bool keep = false;            // a finished run keeps its newest ones, the last of its end
};

// A run may be the first part of a longer one.
struct ScheduleConfig {
  std::int64_t steps = 0;  // that schedules and evaluations are spread over; 0: the run's
};

// How often the run was made longer (train/extend.h), one entry each time.
struct ExtendedConfig {
  std::vector<std::int64_t> from;  // its number of steps until then
  std::vector<std::int64_t> at;    // the step after which it went on
};

struct LogConfig {
  bool tensorboard = true;
  bool csv = true;
  std::int64_t every = 0;  // environment steps between rows beside those of evaluations; 0: none
};

struct FleetConfig {
  Precision precision = Precision::kF32;  // of products on a GPU; the CPU's are always f32
  std::int64_t blocks = 1;                // multiprocessors that share a run
};

// An environment that is the caller's own and in no registry: whoever holds settings of a run in it
// holds the environment.
using OwnEnv = std::shared_ptr<const envs::Entry>;

// Everything that decides a run's outcome.
struct RunConfig {
  std::string algo = "dqn";  // the algorithm's name, which has chosen some of these settings
  std::string env = "minatar/breakout";
  std::int64_t seed = 0;
  std::int64_t steps = 2'000'000;
  std::string label;  // of its condition, for reports

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

  agents::Settings agent = Algorithm().agent().settings();  // of the agent that algo names
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

  OwnEnv own_env;  // what `env` names, where that is in no registry

  // Throws UsageError where there is no such environment.
  const envs::Entry& environment() const { return own_env ? *own_env : envs::registry().find(env); }

  Algorithm algorithm() const { return parse_algorithm(algo); }

  // Whether the run is long enough for at least one update.
  bool learns() const { return steps / train_freq > learning_starts / train_freq; }

  // The agent's, where a schedule begins; 0 of one that has no such setting.
  double learning_rate() const;

  // Whether the margin is still to be measured, see margin.h.
  bool margin_is_open() const { return std::isnan(align.margin); }

  // b, from the margin; 0 in the modes that draw no more than m. Throws UsageError where the margin
  // is open.
  int oversampling() const;
  // Whether updates depend on scores.
  bool uses_scores() const;
  // Whether updates need the online target of each candidate.
  bool needs_scores() const;
};

// The settings that concern this run's algorithm.
Fields fields(RunConfig& config);

// Whether a setting only says how a run is watched and where its files are: it cannot change a
// curve.
bool is_cosmetic(std::string_view key);

// What the user asked for, before presets and defaults.
struct ConfigRequest {
  std::optional<std::string> algo;    // default: the preset's, where it names one, or ta-dqn
  std::optional<std::string> env;     // likewise, or minatar/breakout
  std::optional<std::string> preset;  // name, family/name or file; default: the family's "paper"
  std::optional<std::string> seed;
  std::optional<std::string> steps;
  std::optional<std::string> margin;
  std::vector<std::string> set;  // "key=value"
  std::string source = "--set";  // of these, for messages
  OwnEnv own_env{};              // in the place of `env`
};

// The defaults of an algorithm. Its choices may be open, see completed().
RunConfig defaults_of(const Algorithm& algorithm);

// Order: defaults of the algorithm, preset, the algorithm's name (unless the preset names the
// same), flags, --set; then what is still left open, see completed(). Throws UsageError.
RunConfig resolve(const ConfigRequest& request);

// Throws UsageError where settings that are completed contradict each other.
void check(const RunConfig& config);

// The settings with which a run goes on that has `stored`: its own, but for cosmetic ones that the
// request names, and longer where it names more steps. Throws UsageError with whatever else it
// names and the run has otherwise.
RunConfig resumed(const RunConfig& stored, const ConfigRequest& request, const std::string& where);

// With every choice that settings leave open ("-1", "auto", an empty list) made for the run's
// environment and replay. What computes a run takes completed settings alone. The one that may stay
// empty is environment.rom_dir, which says where this machine has its files; the one that stays
// open is a margin that is to be measured (margin.h). Throws UsageError where there is no such
// environment.
RunConfig completed(RunConfig config);

// A config.toml read back and completed: those of earlier versions leave choices open. Throws
// UsageError with file and line.
RunConfig config_from_toml(const std::string& toml, const std::string& source,
                           const OwnEnv& own_env = {});
std::string config_to_toml(RunConfig config, bool with_help);

// Keys that differ, "key: old -> new", leaving out the cosmetic ones.
std::vector<std::string> differences(RunConfig before, RunConfig after);
// The cosmetic ones.
std::vector<std::string> cosmetic_differences(RunConfig before, RunConfig after);

// Throws UsageError about the run in `where` unless nothing changed.
void refuse_changes(const std::string& where, const std::vector<std::string>& changed,
                    const std::string& advice);

}  // namespace tarl::train
