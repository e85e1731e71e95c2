// SPDX-License-Identifier: MIT
#include "tarl/train/make_agent.h"

#include <algorithm>
#include <utility>

#include "tarl/agents/dqn.h"
#include "tarl/agents/sac.h"
#include "tarl/agents/td3.h"
#include "tarl/core/error.h"
#include "tarl/core/machine.h"
#include "tarl/train/normalizing_agent.h"

namespace tarl::train {

namespace {

int update_rows(const RunConfig& config) {
  return static_cast<int>(config.batch_size) + config.oversampling();
}

// Of the largest batch that the agent is given, to learn from or to act on.
int most_rows(const RunConfig& config) {
  return std::max(update_rows(config),
                  static_cast<int>(std::max(config.n_envs, config.eval.episodes)));
}

std::string network_settings(RunConfig config) {
  std::string out;
  for (const Field& field : fields(config)) {
    for (const char* name : {"policy.net_arch", "batch_size", "align.margin"}) {
      if (field.name == name)
        out += (out.empty() ? "" : ", ") + field.name + " = " + field.to_toml();
    }
  }
  return out;
}

void refuse_normalization(const RunConfig& config, const rl::EnvSpec& spec) {
  if (!config.normalize.any()) return;
  if (spec.obs.kind != rl::ObsKind::kFloats) {
    throw UsageError(
        "normalize.obs and normalize.reward are for observations that are vectors, "
        "and those of " +
        spec.name + " are not; leave both at false");
  }
  if (config.normalize.reward && config.n_steps != 1) {
    throw UsageError("normalize.reward scales the reward of one step; use n_steps = 1");
  }
}

std::unique_ptr<rl::Agent> make_plain_agent(const RunConfig& config, const rl::EnvSpec& spec,
                                            const Rng& root, Team& team) {
  const Algorithm algorithm = config.algorithm();
  const int rows = most_rows(config);
  const Rng init = root.fork("init");
  if (algorithm.is_dqn()) {
    return std::make_unique<agents::DqnAgent>(config.dqn, spec.obs, spec.action, rows, init, team);
  }
  if (algorithm.is_td3()) {
    return std::make_unique<agents::Td3Agent>(config.td3, spec.obs, spec.action, rows, init, team);
  }
  return std::make_unique<agents::SacAgent>(config.sac, spec.obs, spec.action, rows, init, team);
}

}  // namespace

double agent_bytes(const RunConfig& config, const rl::EnvSpec& spec) {
  const int rows = most_rows(config);
  const double batch_row =
      2.0 * static_cast<double>(spec.obs.bytes()) + 4.0 * spec.action.size + 12;
  // Targets, errors, losses, scores and the like: a few numbers a row.
  const double row = 150;
  const int batches = config.normalize.any() ? 2 : 1;
  const double around = batches * update_rows(config) * batch_row + rows * row;
  if (config.algorithm().is_dqn()) {
    return around + agents::DqnAgent::bytes_needed(config.dqn, spec.obs, spec.action, rows);
  }
  if (config.algorithm().is_td3()) {
    return around + agents::Td3Agent::bytes_needed(config.td3, spec.obs, spec.action, rows);
  }
  return around + agents::SacAgent::bytes_needed(config.sac, spec.obs, spec.action, rows);
}

std::unique_ptr<rl::Agent> make_agent(const RunConfig& config, const rl::EnvSpec& spec,
                                      const Rng& root, Team& team) {
  const bool wants_discrete = config.algorithm().is_dqn();
  if (wants_discrete != spec.action.discrete()) {
    throw UsageError(config.algo + " needs " + (wants_discrete ? "discrete" : "continuous") +
                     " actions, but " + spec.name + " has " +
                     (wants_discrete
                          ? "continuous ones; use sac or td3"
                          : std::to_string(spec.action.count) + " discrete ones; use dqn or ddqn"));
  }
  refuse_normalization(config, spec);
  refuse_more_than_memory(
      network_settings(config), agent_bytes(config, spec),
      "use a smaller policy.net_arch, batch_size, align.margin or eval.episodes");
  std::unique_ptr<rl::Agent> agent = make_plain_agent(config, spec, root, team);
  if (!config.normalize.any()) return agent;
  return std::make_unique<NormalizingAgent>(std::move(agent), config.normalize, spec.obs.size(),
                                            static_cast<int>(config.n_envs));
}

}  // namespace tarl::train
