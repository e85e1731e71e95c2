// SPDX-License-Identifier: MIT
//
// From what a user asks for, or a file says, to settings that leave nothing open.
#include <cmath>

#include "tarl/core/error.h"
#include "tarl/core/formats/toml.h"
#include "tarl/train/config.h"
#include "tarl/train/presets.h"

namespace tarl::train {

namespace {

// What the name asks for.
void set_algorithm(RunConfig& config, const Algorithm& algorithm) {
  config.algo = algorithm.name();
  config.align.margin = algorithm.aligned ? 1.0 : 0.0;
  config.dqn.double_q = algorithm.base == Base::kDdqn;
  if (config.replay.kind == algorithm.replay) return;
  config.replay.kind = algorithm.replay;
  config.replay.alpha = -1;  // what was there is another kind's
}

// Where the continuous agents differ from the discrete ones: Stable-Baselines3's defaults, with the
// paper's warm-up.
void set_defaults(RunConfig& config, const Algorithm& algorithm) {
  set_algorithm(config, algorithm);
  if (algorithm.is_dqn()) return;
  config.steps = 1'000'000;
  config.buffer_size = 1'000'000;
  config.batch_size = 256;
  config.learning_starts = 10'000;
  config.tau = 0.005;
  config.train_freq = 1;
  config.target_update_interval = 1;
  if (algorithm.base == Base::kDdpg) config.td3 = agents::ddpg_config();
}

void check(const RunConfig& config) {
  if (config.eval.count > config.steps) {
    throw UsageError("eval.count = " + std::to_string(config.eval.count) +
                     " evaluations do not fit into " + std::to_string(config.steps) +
                     " steps; raise --steps or lower eval.count");
  }
  if (config.buffer_size < config.n_envs) {
    throw UsageError("buffer_size = " + std::to_string(config.buffer_size) +
                     " is smaller than n_envs = " + std::to_string(config.n_envs));
  }
}

std::string proper_name(const std::string& env) {
  return envs::registry().find(env).name;
}

// Settings of one environment are not those of another: what a file leaves to its environment is
// written there as that environment's own.
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
  for (const std::string& assignment : request.set) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      throw UsageError("--set " + assignment + ": write it as key=value");
    }
    const std::string key = assignment.substr(0, equals);
    if (key == "algo" || key == "env") {
      throw UsageError("--set " + key + ": use --" + key + " instead");
    }
    set_field(table, key, assignment.substr(equals + 1), "--set");
  }
}

}  // namespace

RunConfig completed(RunConfig config) {
  const envs::Entry& entry = envs::registry().find(config.env);
  const Algorithm algorithm = config.algorithm();
  config.env = entry.name;
  config.env_config = entry.completed(config.env_config);
  config.replay = replay::completed(config.replay);
  if (config.normalize.reward && std::isnan(config.normalize.gamma)) {
    config.normalize.gamma = config.gamma;
  }
  if (algorithm.is_dqn()) config.dqn = agents::completed(config.dqn, entry.obs);
  if (algorithm.base == Base::kSac) {
    config.sac = agents::completed(config.sac, entry.action_size);
  }
  return config;
}

RunConfig resolve(const ConfigRequest& request) {
  const std::string asked = proper_name(request.env.value_or("minatar/breakout"));
  std::optional<Preset> preset;
  if (request.preset) preset = find_preset(*request.preset, asked);
  RunConfig config;
  config.env = choose_env(request, asked, preset);
  const Algorithm algorithm = parse_algorithm(choose_algo(request, preset));
  if (!preset) preset = default_preset(config.env, algorithm.base_name());

  set_defaults(config, algorithm);
  if (preset) {
    apply_preset(config, *preset);
    // A preset that names the algorithm may say more than the name: another margin, for instance.
    if (preset->algo != algorithm.name()) set_algorithm(config, algorithm);
  }
  apply_flags(config, request);
  config = completed(std::move(config));
  check(config);
  return config;
}

RunConfig config_from_toml(const std::string& toml, const std::string& source) {
  // The algorithm decides which settings there are, so it is read first.
  RunConfig config;
  const auto algo = parse_toml(toml, source)["algo"].value<std::string>();
  if (!algo) throw UsageError(source + ": no setting 'algo'");
  set_algorithm(config, parse_algorithm(*algo));
  Fields table = fields(config);
  set_fields_from_toml(table, toml, source);
  config = completed(std::move(config));
  check(config);
  return config;
}

}  // namespace tarl::train
