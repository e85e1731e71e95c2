// SPDX-License-Identifier: MIT
#include "tarl/agents/td3.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/vector_math.h"

namespace tarl::agents {

namespace {

actor_critic::Actor::Shape actor_shape(const Td3Config& config, int obs, int action, int max_rows) {
  actor_critic::Actor::Shape shape;
  shape.obs = obs;
  shape.hidden = config.net_arch;
  shape.heads = {{"mu", action}};
  shape.learning_rate = config.learning_rate;
  shape.has_target = true;
  shape.max_rows = max_rows;
  return shape;
}

actor_critic::Critics::Shape critics_shape(const Td3Config& config, int obs, int action,
                                           int max_rows) {
  actor_critic::Critics::Shape shape;
  shape.obs = obs;
  shape.action = action;
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
    : config_(config),
      obs_(obs.size()),
      action_(action.size),
      team_(team),
      actor_(actor_shape(config, obs_, action_, max_rows), init.fork("actor"), arena_),
      critics_(critics_shape(config, obs_, action_, max_rows), init.fork("critic"), arena_),
      noise_(arena_.take_rows(max_rows, action_)),
      da_(arena_.take_rows(max_rows, action_)),
      slope_(arena_.take_rows(max_rows, action_)),
      row_actor_(static_cast<std::size_t>(max_rows)) {
  if (obs.kind != rl::ObsKind::kFloats) {
    throw UsageError("td3 reads observations that are vectors of numbers; use dqn for images");
  }
}

double Td3Agent::bytes_needed(const Td3Config& config, const rl::ObsSpec& obs,
                              const rl::ActionSpec& action, int max_rows) {
  nn::Arena arena = nn::Arena::counting();
  actor_critic::Actor::count_memory(actor_shape(config, obs.size(), action.size, max_rows), arena);
  actor_critic::Critics::count_memory(critics_shape(config, obs.size(), action.size, max_rows),
                                      arena);
  for (int array = 0; array < 3; ++array) arena.take_rows(max_rows, action.size);
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

void Td3Agent::set_rate_share(double share) {
  actor_.group().set_rate_share(share);
  critics_.group().set_rate_share(share);
}

// The target's smoothed action at s'.
void Td3Agent::next_rows(const actor_critic::NormalRows& noise, Range rows) {
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
}

const rl::Assessment& Td3Agent::assess(const rl::Batch& batch, bool with_online_target, Rng& rng) {
  critics_.begin(batch);
  const actor_critic::NormalRows noise(rng, batch.rows, action_);
  team_.run([&](int rank) {
    const Range rows = share(batch.rows, rank, team_.size(), actor_critic::kRowGrain);
    critics_.group().refresh(rank, team_.size());
    actor_.group().refresh(rank, team_.size());
    critics_.load_rows(rows);
    next_rows(noise, rows);
    critics_.assess_rows(with_online_target, nullptr, rows);
  });
  return critics_.assessment(with_online_target);
}

void Td3Agent::sync_target(double tau) {
  if (!actor_learned_) return;
  critics_.group().mix_target(tau);
  actor_.group().mix_target(tau);
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

}  // namespace tarl::agents
