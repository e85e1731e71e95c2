// SPDX-License-Identifier: MIT
//
// One gradient step of Td3Agent.
#include "tarl/agents/policy_math.h"
#include "tarl/agents/td3.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/vector_math.h"

namespace tarl::agents {

const rl::UpdateStats& Td3Agent::update(std::span<const std::int32_t> kept,
                                        std::span<const float> weight, Rng&) {
  critics_.keep(kept, weight);
  losses_ = {};
  counts_.actor_learned = actor_is_due(counts_.updates + 1, config_.policy_delay);
  team_.run([&](int rank) { update_part(rank); });
  if (losses_.critics_stepped) {
    critics_.group().count_step();
    ++counts_.updates;
  }
  const bool actor_due = counts_.actor_learned;
  counts_.actor_learned = false;  // set only on success
  check_finite();
  counts_.actor_learned = actor_due;
  stats_ = {{rl::Metric::kCriticLoss, losses_.critic}};
  if (counts_.actor_learned) {
    actor_.group().count_step();
    stats_.emplace_back(rl::Metric::kActorLoss, losses_.actor);
  }
  return stats_;
}

void Td3Agent::update_part(int rank) {
  const Range rows = share(critics_.kept().size(), rank, team_.size(), nn::kLanes);
  critics_.gather_rows(rows);
  const actor_critic::Critics::Loss critic = critics_.learn(rank, team_);
  if (!step_critics(rank, critic, 0) || !counts_.actor_learned) return;
  team_.barrier();
  learn_actor(rank, rows);
}

void Td3Agent::learn_actor(int rank, Range rows) {
  critics_.refresh_gradient(rank, team_.size());
  actor_.forward(actor_.group().online(), critics_.kept_x(), rows);
  critics_.load_policy_rows(rows);
  for (int row = rows.begin; row < rows.end; ++row) {
    for (int k = 0; k < action_; ++k) {
      const nn::Tanh action = nn::tanh_of(actor_.heads().row(row)[k]);
      critics_.policy_x().row(row)[obs_ + k] = action.value;
      slope_.row(row)[k] = action.slope;
    }
  }
  team_.barrier();
  critics_.evaluate_policy(false, rows);
  critics_.action_gradient(-1.0F / static_cast<float>(critics_.kept().size()), rows, da_);
  for (int row = rows.begin; row < rows.end; ++row) {
    row_actor_[static_cast<std::size_t>(row)] = -double{critics_.policy_value(row)};
    for (int k = 0; k < action_; ++k) {
      actor_.group().delta(0).row(row)[k] = da_.row(row)[k] * slope_.row(row)[k];
    }
  }
  step_actor(rank);
}

}  // namespace tarl::agents
