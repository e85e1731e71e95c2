// SPDX-License-Identifier: MIT
//
// From a user's request or a file to settings that leave nothing open.
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/core/formats/toml.h"
#include "tarl/train/config.h"
#include "tarl/train/extend.h"
#include "tarl/train/presets.h"
#include "tarl/train/scorer.h"

namespace tarl::train {

namespace {

struct ForeignSetting {
  std::string_view name;
  const char* hint;
};

// Settings of Stable-Baselines3 and its zoo that have another name here, or do not exist.
constexpr ForeignSetting kForeignSettings[] = {
    {"lr", "it is called learning_rate here"},
    {"n_timesteps", "it is called steps here"},
    {"policy_kwargs", "write its parts: policy.net_arch, policy.n_critics, optimizer"},
    {"noise_std", "it is called action_noise here (TD3, DDPG)"},
    {"noise_type", "noise is Gaussian here, of deviation action_noise (TD3, DDPG)"},
    {"use_sde", "there is no state-dependent exploration here; leave it out"},
    {"optimize_memory_usage", "each observation is stored once anyway; leave it out"},
    {"frame_stack", "Atari's observations are four frames already; leave it out"},
    {"env_wrapper", "docs/environments.md says what environments have built in; leave it out"},
};

void refuse_foreign(const std::string& key, const std::string& source) {
  for (const ForeignSetting& foreign : kForeignSettings) {
    if (key == foreign.name) throw UsageError(source + " " + key + ": " + foreign.hint);
  }
}

// Assigns each "key=value" to its field.
void assign_all(RunConfig& config, const std::vector<std::string>& assignments,
                const std::string& source) {
  Fields table = fields(config);
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      throw UsageError(source + " " + assignment + ": write it as key=value");
    }
    const std::string key = assignment.substr(0, equals);
    if (key == "algo" || key == "env") {
      throw UsageError(source + " " + key + ": use --" + key + " instead");
    }
    refuse_foreign(key, source);
    set_field(table, key, assignment.substr(equals + 1), source);
  }
}

// The settings that the name stands for.
void set_algorithm(RunConfig& config, const Algorithm& algorithm) {
  config.align.margin = algorithm.aligned ? 1.0 : 0.0;
  assign_all(config, algorithm.agent().named, "agent " + algorithm.base);
  if (config.replay.kind == algorithm.replay) return;
  config.replay.kind = algorithm.replay;
  config.replay.alpha = -1;  // the old value belongs to another kind
}

// A setting of an agent must not shadow one that every run has.
void refuse_shared_names(RunConfig& config, const agents::Entry& agent) {
  std::set<std::string> names;
  for (const Field& field : fields(config)) {
    if (names.insert(field.name).second) continue;
    throw Error("agent " + agent.name + ": its setting '" + field.name +
                "' is one that runs have already; give it another name");
  }
}

void check_terminals(const RunConfig& config) {
  if (config.align.terminals == align::Terminals::kScore || config.margin_is_open()) return;
  if (config.oversampling() > 0) return;
  throw UsageError(std::string("align.terminals = ") +
                   align::kTerminalsNames[static_cast<std::size_t>(config.align.terminals)] +
                   " chooses among m + b candidates: it needs align.mode = filter and a margin "
                   "that makes b at least 1, e.g. align.margin = 1");
}

// A part of a longer run ends with an evaluation, as every run does.
void check_schedule(const RunConfig& config) {
  const std::int64_t all = config.schedule.steps;
  if (all == 0) return;
  if (all < config.steps) {
    throw UsageError("schedule.steps = " + std::to_string(all) + " is less than the run's " +
                     std::to_string(config.steps) +
                     " steps; it is the number of the longer run that this one is a part of");
  }
  if (config.eval.count == 0 || next_total(config, config.steps) == config.steps) return;
  throw UsageError("a run of " + std::to_string(config.steps) +
                   " steps would not end with an evaluation: " + std::to_string(config.eval.count) +
                   " are made in schedule.steps = " + std::to_string(all) + "; choose " +
                   std::to_string(next_total(config, config.steps)) + " steps");
}

constexpr const char* kLeaveOut = "leave out what differs, or choose another --out";

void check_extensions(const RunConfig& config) {
  const ExtendedConfig& extended = config.extended;
  bool good = extended.from.size() == extended.at.size();
  for (std::size_t i = 0; good && i < extended.from.size(); ++i) {
    const bool last = i + 1 == extended.from.size();
    good = extended.from[i] < (last ? config.steps : extended.from[i + 1]) &&
           extended.at[i] < extended.from[i] + config.n_envs &&
           ((last && wants_extension(config)) || i == 0 || extended.at[i] >= extended.at[i - 1]);
  }
  if (!good) {
    throw UsageError(
        "extended.from and extended.at are the record of a run that was made longer; leave them to "
        "train --resume --steps N");
  }
}

std::string proper_name(const std::string& env) {
  return envs::registry().find(env).name;
}

// Settings of one environment do not carry over to another: a file spells out the defaults of its
// own environment.
std::string choose_env(const ConfigRequest& request, const std::string& asked,
                       const std::optional<Preset>& preset) {
  if (!preset || !preset->env) return asked;
  const std::string env = proper_name(*preset->env);
  if (request.env && env != asked) {
    throw UsageError("preset " + preset->name + " is for " + env + ", not for " + asked +
                     "; remove its line 'env' to use its settings elsewhere");
  }
  return env;
}

std::string choose_algo(const ConfigRequest& request, const std::optional<Preset>& preset) {
  if (request.algo) return *request.algo;
  return preset && preset->algo ? *preset->algo : "ta-dqn";
}

void apply_flags(RunConfig& config, const ConfigRequest& request) {
  Fields table = fields(config);
  const auto set = [&](const char* key, const auto& value, const char* source) {
    if (value) set_field(table, key, *value, source);
  };
  set("seed", request.seed, "--seed");
  set("steps", request.steps, "--steps");
  set("align.margin", request.margin, "--margin");
  assign_all(config, request.set, request.source);
}

}  // namespace

void check(const RunConfig& config) {
  check_terminals(config);
  if (config.eval.count > steps_of_schedules(config)) {
    throw UsageError("eval.count = " + std::to_string(config.eval.count) +
                     " evaluations do not fit into " + std::to_string(steps_of_schedules(config)) +
                     " steps; raise steps or lower eval.count");
  }
  check_schedule(config);
  if (config.buffer_size < config.n_envs) {
    throw UsageError("buffer_size = " + std::to_string(config.buffer_size) +
                     " is smaller than n_envs = " + std::to_string(config.n_envs));
  }
  check_extensions(config);
}

RunConfig defaults_of(const Algorithm& algorithm) {
  const agents::Entry& agent = algorithm.agent();
  RunConfig config;
  config.algo = algorithm.name();
  config.agent = agent.settings();
  refuse_shared_names(config, agent);
  set_algorithm(config, algorithm);
  assign_all(config, agent.defaults, "agent " + agent.name);
  return config;
}

RunConfig completed(RunConfig config) {
  const envs::Entry& entry = config.environment();
  const agents::Entry& agent = config.algorithm().agent();
  config.env = entry.name;
  config.env_config = entry.completed(config.env_config);
  config.replay = replay::completed(config.replay);
  if (std::isnan(config.normalize.gamma)) config.normalize.gamma = config.gamma;
  if (agent.complete) agent.complete(config.agent, entry.obs, entry.action_size);
  return config;
}

RunConfig resolve(const ConfigRequest& request) {
  const std::string asked = request.own_env ? request.own_env->name
                                            : proper_name(request.env.value_or("minatar/breakout"));
  std::optional<Preset> preset;
  if (request.preset) preset = find_preset(*request.preset, asked);
  const std::string env = request.own_env ? asked : choose_env(request, asked, preset);
  const Algorithm algorithm = parse_algorithm(choose_algo(request, preset));
  if (!preset) preset = default_preset(env, preset_base(algorithm));

  RunConfig config = defaults_of(algorithm);
  config.env = env;
  config.own_env = request.own_env;
  if (preset) {
    apply_preset(config, *preset);
    // A preset that names the algorithm may set more than the name does, for instance another
    // margin.
    if (preset->algo != algorithm.name()) set_algorithm(config, algorithm);
  }
  apply_flags(config, request);
  config = completed(std::move(config));
  find_score(config.align.score);  // now, rather than when the run begins
  check(config);
  return config;
}

RunConfig resumed(const RunConfig& stored, const ConfigRequest& request, const std::string& where) {
  RunConfig asked = stored;
  std::vector<std::string> changed;
  const auto compare = [&](const char* key, const std::string& was, const std::string& is) {
    if (was != is) changed.push_back(std::string(key) + ": \"" + was + "\" -> \"" + is + "\"");
  };
  if (request.algo) compare("algo", stored.algo, parse_algorithm(*request.algo).name());
  if (request.env) compare("env", stored.env, proper_name(*request.env));
  refuse_changes(where, changed, kLeaveOut);

  if (request.preset) {
    apply_preset(asked, find_preset(*request.preset, stored.env));
    // A preset does not change the identity or length of a run that has begun.
    asked.seed = stored.seed;
    asked.steps = stored.steps;
    asked.extended = stored.extended;
  }
  apply_flags(asked, request);
  if (asked.margin_is_open()) asked.align.margin = stored.align.margin;  // it was chosen then
  const std::int64_t steps = asked.steps;
  const RunConfig longer = steps > stored.steps ? extended(stored, steps) : stored;
  if (steps > stored.steps) asked.steps = stored.steps;
  if (asked.eval.count == longer.eval.count) asked.eval.count = stored.eval.count;
  asked = completed(std::move(asked));
  refuse_changes(where, differences(stored, asked), kLeaveOut);
  asked.steps = longer.steps;
  asked.eval.count = longer.eval.count;
  asked.extended = longer.extended;
  return asked;
}

void refuse_changes(const std::string& where, const std::vector<std::string>& changed,
                    const std::string& advice) {
  if (changed.empty()) return;
  std::string message = where + " was started with other settings: ";
  for (std::size_t i = 0; i < changed.size() && i < 5; ++i) {
    message += (i > 0 ? ", " : "") + changed[i];
  }
  if (changed.size() > 5) message += ", and " + std::to_string(changed.size() - 5) + " more";
  throw UsageError(message + "; " + advice);
}

RunConfig config_from_toml(const std::string& toml, const std::string& source,
                           const OwnEnv& own_env) {
  // The algorithm decides which settings there are, so it is read first.
  const auto algo = parse_toml(toml, source)["algo"].value<std::string>();
  if (!algo) throw UsageError(source + ": no setting 'algo'");
  RunConfig config = defaults_of(parse_algorithm(*algo));
  Fields table = fields(config);
  set_fields_from_toml(table, toml, source);
  config.own_env = own_env;
  config = completed(std::move(config));
  check(config);
  return config;
}

}  // namespace tarl::train
