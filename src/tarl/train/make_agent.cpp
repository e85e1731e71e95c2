// SPDX-License-Identifier: MIT
#include "tarl/train/make_agent.h"

#include <algorithm>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/core/machine.h"
#include "tarl/train/normalizing_agent.h"

namespace tarl::train {

namespace {

int update_rows(const RunConfig& config) {
  return static_cast<int>(config.batch_size) + config.oversampling();
}

// Rows of the largest batch that the agent learns from or acts on.
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

[[noreturn]] void refuse_actions(const std::string& algo, const rl::EnvSpec& spec,
                                 agents::Actions has) {
  const bool discrete = has == agents::Actions::kDiscrete;
  throw UsageError(algo + " needs " + (discrete ? "continuous" : "discrete") + " actions, but " +
                   spec.name + " has " +
                   (discrete ? std::to_string(spec.action.count) + " discrete" : "continuous") +
                   " ones; use " + alternatives(agents::registry().names(has)));
}

}  // namespace

double agent_bytes(const RunConfig& config, const rl::EnvSpec& spec) {
  const int rows = most_rows(config);
  const double batch_row =
      2.0 * static_cast<double>(spec.obs.bytes()) + 4.0 * spec.action.size + 12;
  // Targets, errors, losses, scores and the like: a few numbers per row.
  const double row = 150;
  const int batches = config.normalize.any() ? 2 : 1;
  const double around = batches * update_rows(config) * batch_row + rows * row;
  return around + config.algorithm().agent().bytes(config.agent, {spec.obs, spec.action, rows});
}

std::unique_ptr<rl::Agent> make_agent(const RunConfig& config, const rl::EnvSpec& spec,
                                      const Rng& root, Team& team) {
  const agents::Entry& entry = config.algorithm().agent();
  const auto actions =
      spec.action.discrete() ? agents::Actions::kDiscrete : agents::Actions::kContinuous;
  if (entry.actions != actions) refuse_actions(config.algo, spec, actions);
  refuse_normalization(config, spec);
  refuse_more_than_memory(
      network_settings(config), agent_bytes(config, spec),
      "use a smaller policy.net_arch, batch_size, align.margin or eval.episodes");
  auto agent =
      entry.make(config.agent, {spec.obs, spec.action, most_rows(config)}, root.fork("init"), team);
  // An agent without schedules fails now, not at the first update, which sets the rate again.
  if (config.learning_rate_schedule != Schedule::kConstant) agent->set_rate_share(0.5);
  if (!config.normalize.any()) return agent;
  return std::make_unique<NormalizingAgent>(std::move(agent), config.normalize, spec.obs.size(),
                                            static_cast<int>(config.n_envs));
}

}  // namespace tarl::train
