// SPDX-License-Identifier: MIT
#include "tarl/agents/td3.h"

#include <algorithm>
#include <cstring>

#include "tarl/agents/actor_critic/run_defaults.h"
#include "tarl/agents/policy_math.h"
#include "tarl/agents/registry.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents {

actor_critic::Shapes shapes_of(const Td3Config& config, int actions, int max_rows) {
  actor_critic::Shapes shapes;
  shapes.actor.hidden = shapes.critics.hidden = config.net_arch;
  shapes.actor.learning_rate = shapes.critics.learning_rate = config.learning_rate;
  shapes.actor.max_rows = shapes.critics.max_rows = max_rows;
  shapes.actor.heads = {{"mu", actions}};
  shapes.actor.has_target = true;
  shapes.critics.count = static_cast<int>(config.n_critics);
  shapes.critics.clipped = config.alignment_target == AlignmentTarget::kClipped;
  return shapes;
}

Td3Agent::Td3Agent(const Td3Config& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
                   int max_rows, Rng init, Team& team)
    : ActorCritic("td3", obs, action, shapes_of(config, action.size, max_rows), init, team),
      config_(config),
      noise_(arena_.take_rows(max_rows, action_)),
      slope_(arena_.take_rows(max_rows, action_)) {}

double Td3Agent::bytes_needed(const Td3Config& config, const rl::ObsSpec& obs,
                              const rl::ActionSpec& action, int max_rows) {
  nn::Arena arena = nn::Arena::counting();
  count_memory(obs, action, shapes_of(config, action.size, max_rows), arena);
  for (int array = 0; array < 2; ++array) arena.take_rows(max_rows, action.size);
  return static_cast<double>(arena.bytes());
}

void Td3Agent::act(std::span<const std::byte> obs, int n, const rl::ActMode& mode,
                   std::span<Rng> streams, std::span<rl::Action> out) {
  actor_.act(obs, n, team_, [&](std::size_t row, const float* mu) {
    choose_noisy(mu, action_, mode.explore, config_.action_noise, streams[row],
                 out[row].values.data());
  });
}

const float* Td3Agent::choose_next(const actor_critic::NormalRows& noise, Range rows) {
  nn::ConstRows smoothing(given_next_.data(), action_);
  if (given_next_.empty()) {
    noise.fill(rows, nullptr, noise_);
    smoothing = noise_;
  }
  actor_.decide(actor_.group().target(), critics_.next_x(), rows);
  const auto scale = static_cast<float>(config_.target_policy_noise);
  const auto clip = static_cast<float>(config_.target_noise_clip);
  for (int row = rows.begin; row < rows.end; ++row) {
    const float* mu = actor_.heads().row(row);
    const float* eps = smoothing.row(row);
    float* action = critics_.next_x().row(row) + obs_;
    for (int k = 0; k < action_; ++k) action[k] = smoothed_action(mu[k], scale, clip, eps[k]);
  }
  return nullptr;
}

void Td3Agent::sync_target(double tau) {
  if (!counts_.actor_learned) return;
  critics_.group().mix_target(tau);
  actor_.group().mix_target(tau);
}

void Td3Counts::save(StateWriter& out) const {
  out.put("updates", updates);
  out.put("actor_learned", actor_learned);
}

Td3Counts Td3Counts::load(const StateReader& in) {
  Td3Counts counts;
  in.get("updates", counts.updates);
  in.get("actor_learned", counts.actor_learned);
  return counts;
}

void Td3Agent::save(StateWriter& out) const {
  ActorCritic::save(out);
  counts_.save(out);
}

void Td3Agent::load(const StateReader& in) {
  ActorCritic::load(in);
  counts_ = Td3Counts::load(in);
}

double Td3Agent::update_flops(int candidates, int kept, bool with_online_target) const {
  const double passes = with_online_target ? 3 : 2;
  const double through_critic =
      (critics_.forward_work() + critics_.gradient_work()) / critics_.group().count();
  const double actor_step = actor_.forward_work() + through_critic + actor_.backward_work();
  return 2 * (candidates * (actor_.forward_work() + passes * critics_.forward_work()) +
              kept * (critics_.backward_work() +
                      actor_step / static_cast<double>(config_.policy_delay)));
}

void add_td3(Registry& registry) {
  const auto add = [&](const char* name, const char* title, const Td3Config& config) {
    Entry td3 = entry<Td3Agent>(name, title, Actions::kContinuous, config);
    td3.policy_tensors = PolicyTensors::kActor;
    td3.defaults = actor_critic::run_defaults();
    td3.short_run = {"policy.net_arch=[32, 32]"};
    td3.on_devices = true;
    td3.critics = [](const Settings& settings) { return settings.as<Td3Config>().n_critics; };
    registry.add(std::move(td3));
  };
  add("td3", "twin delayed deterministic policy gradient", {});
  add("ddpg", "deterministic policy gradient: TD3 with one critic and no delay", ddpg_config());
}

}  // namespace tarl::agents
