// SPDX-License-Identifier: MIT
//
// One gradient step of SacAgent.
#include "tarl/agents/sac.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents {

const rl::UpdateStats& SacAgent::update(std::span<const std::int32_t> kept,
                                        std::span<const float> weight, Rng& rng) {
  critics_.keep(kept, weight);
  const actor_critic::NormalRows noise(rng, critics_.assessed_rows(), action_);
  update_alpha_ = static_cast<float>(temperature_.alpha());
  losses_ = {};
  team_.run([&](int rank) { update_part(rank, noise); });
  if (losses_.critics_stepped) critics_.group().count_step();
  check_finite();
  if (temperature_.learned()) {
    double gap = 0;
    for (int row = 0; row < critics_.kept().size(); ++row) {
      gap +=
          double{policy_.log_prob()[static_cast<std::size_t>(row)]} + temperature_.target_entropy();
    }
    temperature_.step(gap, critics_.kept().size());
  }
  actor_.group().count_step();
  stats_ = {{rl::Metric::kActorLoss, losses_.actor},
            {rl::Metric::kCriticLoss, losses_.critic},
            {rl::Metric::kEntropyCoefficient, double{update_alpha_}}};
  if (temperature_.learned()) {
    stats_.emplace_back(rl::Metric::kEntropyCoefficientLoss, losses_.temperature);
  }
  return stats_;
}

void SacAgent::update_part(int rank, const actor_critic::NormalRows& noise) {
  const Range rows = share(critics_.kept().size(), rank, team_.size(), nn::kLanes);
  critics_.gather_rows(rows);
  fill_noise(noise, given_policy_, rows, critics_.kept().rows().data(), policy_.noise());
  actor_.forward(actor_.group().online(), critics_.kept_x(), rows);
  critics_.load_policy_rows(rows);
  policy_.sample(actor_.heads(), rows, critics_.policy_x(), obs_);
  const double log_alpha = temperature_.log_alpha();
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto at = static_cast<std::size_t>(row);
    row_alpha_[at] = -log_alpha * (double{policy_.log_prob()[at]} + temperature_.target_entropy());
  }

  const actor_critic::Critics::Loss critic = critics_.learn(rank, team_);
  const double alpha_loss = critics_.kept().mean(row_alpha_);
  if (!step_critics(rank, critic, alpha_loss)) return;
  team_.barrier();
  learn_actor(rank, rows);
}

void SacAgent::learn_actor(int rank, Range rows) {
  critics_.refresh_gradient(rank, team_.size());
  team_.barrier();
  const auto n = static_cast<float>(critics_.kept().size());
  critics_.evaluate_policy(true, rows);
  critics_.action_gradient(-1.0F / n, rows, da_);
  policy_.backward(actor_.heads(), rows, da_, update_alpha_ / n, actor_.group().delta(0));
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto at = static_cast<std::size_t>(row);
    row_actor_[at] =
        double{update_alpha_} * double{policy_.log_prob()[at]} - double{critics_.policy_value(row)};
  }
  step_actor(rank);
}

}  // namespace tarl::agents
