// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/agent.h"

#include <cmath>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents::actor_critic {

Shapes sized(Shapes shapes, int obs, int actions) {
  shapes.actor.obs = shapes.critics.obs = obs;
  shapes.critics.action = actions;
  return shapes;
}

ActorCritic::ActorCritic(const std::string& name, const rl::ObsSpec& obs,
                         const rl::ActionSpec& action, const Shapes& shapes, Rng init, Team& team)
    : obs_(obs.size()),
      action_(action.size),
      team_(team),
      actor_(sized(shapes, obs_, action_).actor, init.fork("actor"), arena_),
      critics_(sized(shapes, obs_, action_).critics, init.fork("critic"), arena_),
      da_(arena_.take_rows(shapes.critics.max_rows, action_)),
      row_actor_(static_cast<std::size_t>(shapes.critics.max_rows)) {
  if (obs.kind != rl::ObsKind::kFloats) {
    throw UsageError(name + " reads observations that are vectors of numbers; use dqn for images");
  }
}

void ActorCritic::count_memory(const rl::ObsSpec& obs, const rl::ActionSpec& action,
                               const Shapes& shapes, nn::Arena& arena) {
  const Shapes whole = sized(shapes, obs.size(), action.size);
  Actor::count_memory(whole.actor, arena);
  Critics::count_memory(whole.critics, arena);
  arena.take_rows(whole.critics.max_rows, action.size);
}

const rl::Assessment& ActorCritic::assess(const rl::Batch& batch, bool with_online_target,
                                          Rng& rng) {
  critics_.begin(batch);
  const NormalRows noise(rng, batch.rows, action_);
  team_.run([&](int rank) {
    const Range rows = share(batch.rows, rank, team_.size(), kRowGrain);
    critics_.group().refresh(rank, team_.size());
    actor_.group().refresh(rank, team_.size());
    critics_.load_rows(rows);
    const float* entropy = choose_next(noise, rows);
    critics_.assess_rows(with_online_target, entropy, rows);
  });
  return critics_.assessment(with_online_target);
}

bool ActorCritic::step_critics(int rank, const Critics::Loss& loss, double temperature_loss) {
  const bool finite =
      std::isfinite(loss.value) && std::isfinite(loss.norm) && std::isfinite(temperature_loss);
  if (rank == 0) {
    losses_.critic = loss.value;
    losses_.critic_norm = loss.norm;
    losses_.temperature = temperature_loss;
    losses_.critics_stepped = finite;
  }
  if (finite) critics_.group().apply(rank, team_.size());
  return finite;
}

void ActorCritic::step_actor(int rank) {
  actor_.group().backward(critics_.kept_x(), actor_.pass(), critics_.kept().size(), rank, team_);
  const double norm = actor_.group().gradient_norm(rank, team_);
  const double loss = critics_.kept().mean(row_actor_);
  if (std::isfinite(norm) && std::isfinite(loss)) actor_.group().apply(rank, team_.size());
  if (rank == 0) {
    losses_.actor = loss;
    losses_.actor_norm = norm;
  }
}

void require_finite(const char* what, double value, int rows) {
  if (std::isfinite(value)) return;
  throw NonFiniteError("the " + std::string(what) + " is not finite (batch of " +
                       std::to_string(rows) +
                       "); no step was taken on it. Look for rewards or observations that are not "
                       "finite, or lower learning_rate");
}

void ActorCritic::check_finite() const {
  const auto check = [this](const char* what, double value) {
    require_finite(what, value, critics_.kept().size());
  };
  check(kCriticLossName, losses_.critic);
  check(kCriticNormName, losses_.critic_norm);
  check(kTemperatureLossName, losses_.temperature);
  check(kActorLossName, losses_.actor);
  check(kActorNormName, losses_.actor_norm);
}

Tensors ActorCritic::parameters() const {
  Tensors out;
  actor_.group().put_parameters(kActorPrefix, out);
  critics_.group().put_parameters(kCriticPrefix, out);
  return out;
}

Tensors ActorCritic::gradients() const {
  Tensors out;
  actor_.group().put_gradients(kActorPrefix, out);
  critics_.group().put_gradients(kCriticPrefix, out);
  return out;
}

void ActorCritic::set_parameters(const StateReader& in) {
  actor_.group().set_parameters(kActorPrefix, in);
  critics_.group().set_parameters(kCriticPrefix, in);
}

void ActorCritic::set_rate_share(double share) {
  actor_.group().set_rate_share(share);
  critics_.group().set_rate_share(share);
}

void ActorCritic::save(StateWriter& out) const {
  actor_.group().save(kActorPrefix, out);
  critics_.group().save(kCriticPrefix, out);
}

void ActorCritic::load(const StateReader& in) {
  actor_.group().load(kActorPrefix, in);
  critics_.group().load(kCriticPrefix, in);
}

nn::ConstRows ActorCritic::next_actions() const {
  const nn::Rows x = critics_.next_x();
  return {x.data + obs_, x.stride};
}

}  // namespace tarl::agents::actor_critic
