// SPDX-License-Identifier: MIT
#include "tarl/agents/td3.h"

#include <algorithm>
#include <cstring>

#include "tarl/agents/actor_critic/run_defaults.h"
#include "tarl/agents/registry.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/vector_math.h"

namespace tarl::agents {

namespace {

actor_critic::Actor::Shape actor_shape(const Td3Config& config, int action, int max_rows) {
  actor_critic::Actor::Shape shape;
  shape.hidden = config.net_arch;
  shape.heads = {{"mu", action}};
  shape.learning_rate = config.learning_rate;
  shape.has_target = true;
  shape.max_rows = max_rows;
  return shape;
}

actor_critic::Critics::Shape critics_shape(const Td3Config& config, int max_rows) {
  actor_critic::Critics::Shape shape;
  shape.hidden = config.net_arch;
  shape.count = static_cast<int>(config.n_critics);
  shape.learning_rate = config.learning_rate;
  shape.clipped = config.alignment_target == AlignmentTarget::kClipped;
  shape.max_rows = max_rows;
  return shape;
}

}  // namespace

Td3Agent::Td3Agent(const Td3Config& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
                   int max_rows, Rng init, Team& team)
    : ActorCritic("td3", obs, action, actor_shape(config, action.size, max_rows),
                  critics_shape(config, max_rows), init, team),
      config_(config),
      noise_(arena_.take_rows(max_rows, action_)),
      slope_(arena_.take_rows(max_rows, action_)) {}

double Td3Agent::bytes_needed(const Td3Config& config, const rl::ObsSpec& obs,
                              const rl::ActionSpec& action, int max_rows) {
  nn::Arena arena = nn::Arena::counting();
  count_memory(obs, action, actor_shape(config, action.size, max_rows),
               critics_shape(config, max_rows), arena);
  for (int array = 0; array < 2; ++array) arena.take_rows(max_rows, action.size);
  return static_cast<double>(arena.bytes());
}

void Td3Agent::act(std::span<const std::byte> obs, int n, const rl::ActMode& mode,
                   std::span<Rng> streams, std::span<rl::Action> out) {
  actor_.act(obs, n, team_,
             [&](std::size_t row, const float* mu) { choose(mu, mode, streams[row], out[row]); });
}

void Td3Agent::choose(const float* mu, const rl::ActMode& mode, Rng& stream,
                      rl::Action& out) const {
  for (int k = 0; k < action_; ++k) {
    const float mean = nn::tanh_of(mu[k]).value;
    const double noise = mode.explore ? config_.action_noise * stream.normal() : 0;
    out.values[static_cast<std::size_t>(k)] =
        nn::limit(mean + static_cast<float>(noise), -1.0F, 1.0F);
  }
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
    for (int k = 0; k < action_; ++k) {
      action[k] =
          nn::limit(nn::tanh_of(mu[k]).value + nn::limit(scale * eps[k], -clip, clip), -1.0F, 1.0F);
    }
  }
  return nullptr;
}

void Td3Agent::sync_target(double tau) {
  if (!actor_learned_) return;
  critics_.group().mix_target(tau);
  actor_.group().mix_target(tau);
}

void Td3Agent::save(StateWriter& out) const {
  ActorCritic::save(out);
  out.put("updates", updates_);
  out.put("actor_learned", actor_learned_);
}

void Td3Agent::load(const StateReader& in) {
  ActorCritic::load(in);
  in.get("updates", updates_);
  in.get("actor_learned", actor_learned_);
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
    td3.critics = [](const Settings& settings) { return settings.as<Td3Config>().n_critics; };
    registry.add(std::move(td3));
  };
  add("td3", "twin delayed deterministic policy gradient", {});
  add("ddpg", "deterministic policy gradient: TD3 with one critic and no delay", ddpg_config());
}

}  // namespace tarl::agents
