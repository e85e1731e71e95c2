// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/agents/actor_critic/agent.h"
#include "tarl/agents/sac_config.h"
#include "tarl/agents/sac_policy.h"
#include "tarl/agents/sac_temperature.h"

namespace tarl::agents {

// Soft actor-critic (Haarnoja et al. 2018) in Stable-Baselines3's order of updates: temperature,
// critics, actor. Two critics, a squashed Gaussian, no target actor.
//   y = r + discount ( min_j Q_j(s', a'; target) - alpha log pi(a' | s') ),  a' ~ pi(. | s')
// One a' serves the offline and the online target. Results depend on neither the size of the team
// nor the instruction set.
class SacAgent final : public actor_critic::ActorCritic {
 public:
  // `max_rows` is the largest batch assess() will get. Targets start as copies. The team must
  // outlive the agent. Throws UsageError on unsuitable settings.
  SacAgent(const SacConfig& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
           int max_rows, Rng init, Team& team);

  // Memory of such an agent's networks in bytes.
  static double bytes_needed(const SacConfig& config, const rl::ObsSpec& obs,
                             const rl::ActionSpec& action, int max_rows);

  // A sample of the policy while exploring (one normal() per component, from the row's stream), its
  // mean otherwise. Epsilon is not used.
  void act(std::span<const std::byte> obs, int n, const rl::ActMode& mode, std::span<Rng> streams,
           std::span<rl::Action> out) override;
  // Weights multiply the critics' loss only. Throws NonFiniteError before any step if the loss of
  // the critics or of the temperature is not finite, and after the critics' step, before those of
  // actor and temperature, if the actor's is not.
  const rl::UpdateStats& update(std::span<const std::int32_t> kept, std::span<const float> weight,
                                Rng& rng) override;
  void sync_target(double tau) override;
  void set_rate_share(double share) override;
  Tensors parameters() const override;
  Tensors gradients() const override;
  void set_parameters(const StateReader& in) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  double update_flops(int candidates, int kept, bool with_online_target) const override;

  // For tests: noise to use in the following calls, [rows][actions] of the whole batch, instead of
  // draws; empty spans end it.
  void use_noise(std::span<const float> next, std::span<const float> policy);
  // Intermediate results of the last assess() and update().
  std::span<const float> next_log_prob() const;    // [rows]
  nn::ConstRows policy_actions() const;            // [kept, in the batch's order][actions]
  std::span<const float> policy_log_prob() const;  // [kept]

  const std::vector<int>& kept_rows() const { return critics_.kept().rows(); }

 private:
  void fill_noise(const actor_critic::NormalRows& drawn, std::span<const float> given, Range rows,
                  const int* source, nn::Rows out) const;
  const float* choose_next(const actor_critic::NormalRows& noise, Range rows) override;
  void update_part(int rank, const actor_critic::NormalRows& noise);
  void learn_actor(int rank, Range rows);

  Temperature temperature_;
  SquashedGaussian next_, policy_;
  std::vector<float> next_entropy_;  // alpha log pi(a' | s')
  std::span<const float> given_next_, given_policy_;

  float update_alpha_ = 0;  // before the update's own step
  std::vector<double> row_alpha_;
};

// Its networks; input sizes that depend on observation and action are left open.
actor_critic::Shapes shapes_of(const SacConfig& config, int actions, int max_rows);

}  // namespace tarl::agents
