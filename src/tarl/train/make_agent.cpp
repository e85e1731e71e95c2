// SPDX-License-Identifier: MIT
#include "tarl/train/make_agent.h"

#include <algorithm>

#include "tarl/agents/dqn.h"
#include "tarl/agents/sac.h"
#include "tarl/agents/td3.h"
#include "tarl/core/error.h"

namespace tarl::train {

std::unique_ptr<rl::Agent> make_agent(const RunConfig& config, const rl::EnvSpec& spec,
                                      const Rng& root, Team& team) {
  const bool wants_discrete = config.algorithm.is_dqn();
  if (wants_discrete != spec.action.discrete()) {
    throw UsageError(config.algo + " needs " + (wants_discrete ? "discrete" : "continuous") +
                     " actions, but " + spec.name + " has " +
                     (wants_discrete
                          ? "continuous ones; use sac or td3"
                          : std::to_string(spec.action.count) + " discrete ones; use dqn or ddqn"));
  }
  const int update_rows = static_cast<int>(config.batch_size) + config.oversampling();
  const int act_rows = static_cast<int>(std::max(config.n_envs, config.eval.episodes));
  const int rows = std::max(update_rows, act_rows);
  const Rng init = root.fork("init");
  if (config.algorithm.is_dqn()) {
    return std::make_unique<agents::DqnAgent>(config.dqn, spec.obs, spec.action, rows, init, team);
  }
  if (config.algorithm.is_td3()) {
    return std::make_unique<agents::Td3Agent>(config.td3, spec.obs, spec.action, rows, init, team);
  }
  return std::make_unique<agents::SacAgent>(config.sac, spec.obs, spec.action, rows, init, team);
}

}  // namespace tarl::train
