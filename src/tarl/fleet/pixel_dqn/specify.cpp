// SPDX-License-Identifier: MIT
#include "tarl/fleet/pixel_dqn/specify.h"

#include <algorithm>

#include "tarl/agents/dqn.h"
#include "tarl/agents/dqn_network.h"
#include "tarl/agents/dqn_state.h"
#include "tarl/core/error.h"
#include "tarl/fleet/hosted/hosted_run.h"
#include "tarl/fleet/hosted/limits.h"
#include "tarl/nn/nature_encoder.h"
#include "tarl/replay/config.h"

namespace tarl::fleet::pixel_dqn {

namespace {

using agents::DqnConfig;
using train::RunConfig;

std::string why_not_network(const DqnConfig& dqn) {
  if (dqn.network != agents::NetworkKind::kNature) return "policy.network = nature";
  if (dqn.net_arch.size() != 1 || dqn.net_arch.front() > kMostWidth) {
    return "one hidden layer of at most " + std::to_string(kMostWidth) + " units (policy.net_arch)";
  }
  return "";
}

const nn::NatureEncoder& encoder_of(const agents::QNetwork& network) {
  const auto* encoder = dynamic_cast<const nn::NatureEncoder*>(&network.encoder());
  require(encoder != nullptr, "another network than the one that was asked for");
  return *encoder;
}

std::string why_not_images(const rl::ObsSpec& obs, const DqnConfig& dqn) {
  if (obs.kind != rl::ObsKind::kBytes) return "pictures as observations";
  if (obs.frame_stack != obs.channels || obs.channels > kMostStack) {
    return "stacks of at most " + std::to_string(kMostStack) + " frames of one channel";
  }
  if (obs.height * obs.width > kMostFrameBytes) {
    return "frames of at most 84x84 pixels";
  }
  const agents::QNetwork network(dqn, obs, 2);
  const nn::Conv2d& last = encoder_of(network).convolutions().back();
  if (last.out_height() * last.out_width() > kMostPositions) return "frames that are less oblong";
  return "";
}

}  // namespace

std::string why_not(const RunConfig& config) {
  if (!config.algorithm().agent().makes<agents::DqnAgent>()) {
    return "this fleet runs dqn and ddqn on pictures, not " + config.algorithm().base;
  }
  const auto& dqn = config.agent.as<DqnConfig>();
  if (config.environment().obs != rl::ObsKind::kBytes) {
    return "this fleet reads pictures, which " + config.env + " does not show";
  }
  if (const std::string reason = HostedRun::why_not(config); !reason.empty()) {
    return "a fleet has no " + reason;
  }
  for (const std::string& reason :
       {why_not_network(dqn), why_not_updates(config, kMostActRows), why_not_fleet(config.fleet)}) {
    if (!reason.empty()) return "a fleet on pictures has " + reason;
  }
  const std::string reason = why_not_images(config.environment().describe().obs, dqn);
  return reason.empty() ? "" : "a fleet on pictures has " + reason;
}

// The device has copies of the host's frames.
Needs needs_of(const RunConfig& config) {
  const rl::EnvSpec spec = config.environment().describe();
  const AgentPlan plan = make_plan(config, spec);
  const double replay = replay::storage_bytes(config.replay, spec.obs, spec.action,
                                              config.buffer_size, static_cast<int>(config.n_envs));
  double row = plan.hidden.stride;  // activations of an observation
  for (const nn::Conv2d& conv : plan.convs) row += conv.out_size();
  const double rows = plan.online_rows() + plan.candidates + plan.batch + plan.act_rows;
  const double floats = (4.0 + plan.optimizer.moments()) * static_cast<double>(plan.layout.size()) +
                        rows * row +
                        (2.0 * plan.candidates + plan.act_rows) * plan.convs.front().in_size();
  return {replay + sizeof(float) * floats, replay};
}

AgentPlan make_plan(const RunConfig& config, const rl::EnvSpec& spec) {
  const auto& dqn = config.agent.as<DqnConfig>();
  AgentPlan plan;
  plan.height = spec.obs.height;
  plan.width = spec.obs.width;
  plan.stack = spec.obs.frame_stack;
  plan.actions = spec.action.count;
  plan.dueling = dqn.dueling;
  plan.double_q = dqn.double_q;
  plan.scores = config.needs_scores();
  plan.batch = static_cast<int>(config.batch_size);
  plan.candidates = plan.batch + config.oversampling();
  plan.loss = dqn.loss;
  plan.gamma = config.gamma;
  plan.tau = config.tau;
  plan.max_grad_norm = dqn.max_grad_norm;
  plan.optimizer = plan_of(agents::optimizer_of(dqn));
  plan.halves = config.fleet.precision == train::Precision::kFp16;
  plan.act_rows = static_cast<int>(std::max(config.n_envs, config.eval.episodes));
  plan.frames = (config.buffer_size / config.n_envs + plan.stack - 1) * config.n_envs;
  const agents::QNetwork network(dqn, spec.obs, plan.actions);
  plan.layout = network.layout();
  plan.convs = encoder_of(network).convolutions();
  plan.hidden = network.layers().front();
  plan.head = network.layers().back();
  return plan;
}

}  // namespace tarl::fleet::pixel_dqn
