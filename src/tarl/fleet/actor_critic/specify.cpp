// SPDX-License-Identifier: MIT
#include "tarl/fleet/actor_critic/specify.h"

#include <algorithm>

#include "tarl/agents/sac.h"
#include "tarl/agents/td3.h"
#include "tarl/core/error.h"
#include "tarl/fleet/hosted/hosted_run.h"
#include "tarl/fleet/hosted/limits.h"
#include "tarl/replay/config.h"

namespace tarl::fleet::actor_critic {

namespace {

using agents::SacConfig;
using agents::Td3Config;
using train::RunConfig;

bool is_sac(const RunConfig& config) {
  return config.algorithm().agent().makes<agents::SacAgent>();
}

bool is_td3(const RunConfig& config) {
  return config.algorithm().agent().makes<agents::Td3Agent>();
}

const std::vector<std::int64_t>& net_arch(const RunConfig& config) {
  return is_sac(config) ? config.agent.as<SacConfig>().net_arch
                        : config.agent.as<Td3Config>().net_arch;
}

std::string why_not_networks(const RunConfig& config) {
  const auto& hidden = net_arch(config);
  if (hidden.size() != kHiddenLayers || *std::ranges::max_element(hidden) > kMaxWidth) {
    return "two hidden layers of at most " + std::to_string(kMaxWidth) + " units (policy.net_arch)";
  }
  if (is_td3(config) && config.agent.as<Td3Config>().n_critics > kMaxCritics) {
    return at_most("critics (policy.n_critics)", kMaxCritics);
  }
  return "";
}

template <class Config>
void set_networks(const Config& config, int max_rows, AgentPlan& plan) {
  namespace ac = agents::actor_critic;
  const ac::Shapes shapes =
      ac::sized(agents::shapes_of(config, plan.actions, max_rows), plan.obs, plan.actions);
  plan.loss_scale = shapes.critics.loss_scale;
  plan.clipped = shapes.critics.clipped;
  const auto set = [](const ac::Group::Shape& shape, NetsPlan& to) {
    to.nets = ac::Group::plan(shape, to.layout);
    to.has_target = shape.has_target;
  };
  set(ac::actor_group(shapes.actor), plan.actor);
  set(ac::critics_group(shapes.critics), plan.critics);
}

}  // namespace

bool concerns(const RunConfig& config) {
  return is_sac(config) || is_td3(config);
}

std::string why_not(const RunConfig& config) {
  if (!concerns(config)) {
    return "this fleet runs sac, td3 and ddpg, not " + config.algorithm().base;
  }
  if (const std::string reason = HostedRun::why_not(config); !reason.empty()) {
    return "a fleet has no " + reason;
  }
  for (const std::string& reason : {why_not_networks(config), why_not_updates(config, kMaxActRows),
                                    why_not_fleet(config.fleet)}) {
    if (!reason.empty()) return "a fleet of " + config.algorithm().base + " has " + reason;
  }
  const auto env = config.environment().make(config.env_config, Rng{});
  const rl::EnvSpec& spec = env->spec();
  if (spec.obs.kind != rl::ObsKind::kFloats) {
    return "a fleet of " + config.algorithm().base + " reads vectors of numbers, not images";
  }
  if (spec.action.size > kMaxActions) {
    return "a fleet of " + config.algorithm().base + " has " +
           at_most("numbers an action", kMaxActions);
  }
  return "";
}

Needs needs_of(const RunConfig& config) {
  const rl::EnvSpec spec = config.environment().describe();
  const AgentPlan plan = make_plan(config, spec);
  const auto parameters =
      static_cast<double>(plan.actor.layout.size() + plan.critics.layout.size());
  double widths = 0;  // of the activations of a row in all networks
  for (const NetsPlan* nets : {&plan.actor, &plan.critics}) {
    for (const nn::Mlp& net : nets->nets) {
      for (const nn::Linear& layer : net.layers()) widths += layer.stride;
    }
  }
  const double floats = static_cast<double>(plan.capacity) * plan.row_floats() + 5 * parameters +
                        4 * widths * plan.candidates;
  return {sizeof(float) * floats,
          replay::storage_bytes(config.replay, spec.obs, spec.action, config.buffer_size,
                                static_cast<int>(config.n_envs))};
}

AgentPlan make_plan(const RunConfig& config, const rl::EnvSpec& spec) {
  AgentPlan plan;
  plan.sac = is_sac(config);
  plan.obs = spec.obs.size();
  plan.actions = spec.action.size;
  plan.batch = static_cast<int>(config.batch_size);
  plan.candidates = plan.batch + config.oversampling();
  plan.scores = config.needs_scores();
  plan.gamma = config.gamma;
  plan.tau = config.tau;
  plan.capacity = config.buffer_size / config.n_envs * config.n_envs;
  plan.act_rows = static_cast<int>(std::max(config.n_envs, config.eval.episodes));
  plan.halves = config.fleet.precision == train::Precision::kFp16;
  if (plan.sac) {
    const auto& sac = config.agent.as<SacConfig>();
    plan.target_entropy = sac.target_entropy;
    set_networks(sac, plan.candidates, plan);
  } else {
    const auto& td3 = config.agent.as<Td3Config>();
    plan.noise_scale = static_cast<float>(td3.target_policy_noise);
    plan.noise_clip = static_cast<float>(td3.target_noise_clip);
    set_networks(td3, plan.candidates, plan);
  }
  return plan;
}

}  // namespace tarl::fleet::actor_critic
