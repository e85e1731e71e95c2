// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "tarl/agents/actor_critic/agent.h"
#include "tarl/agents/td3_config.h"

namespace tarl::agents {

// The state of a TD3 agent besides its networks.
struct Td3Counts {
  std::int64_t updates = 0;
  bool actor_learned = false;  // in the last update

  void save(StateWriter& out) const;
  static Td3Counts load(const StateReader& in);
};

// TD3 (Fujimoto et al. 2018), and by settings DDPG (Lillicrap et al. 2016).
//   y = r + discount min_j Q_j(s', a'; target),  a' = clamp(mu(s'; target) + clamp(noise))
// One a' serves the offline and the online target. Results depend on neither the size of the team
// nor the instruction set.
class Td3Agent final : public actor_critic::ActorCritic {
 public:
  // As for SacAgent.
  Td3Agent(const Td3Config& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
           int max_rows, Rng init, Team& team);
  static double bytes_needed(const Td3Config& config, const rl::ObsSpec& obs,
                             const rl::ActionSpec& action, int max_rows);

  // Steps the critics, and the actor every policy_delay-th time. Weights multiply the critics' loss
  // only. Throws NonFiniteError before the critics' or the actor's step if its loss is not finite.
  const rl::UpdateStats& update(std::span<const std::int32_t> kept, std::span<const float> weight,
                                Rng& rng) override;
  // mu(s), plus noise while exploring (one normal() per component, from the row's stream). Epsilon
  // is not used.
  void act(std::span<const std::byte> obs, int n, const rl::ActMode& mode, std::span<Rng> streams,
           std::span<rl::Action> out) override;
  // Does nothing unless the last update stepped the actor: targets move with the actor.
  void sync_target(double tau) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  // Averaged over policy_delay updates.
  double update_flops(int candidates, int kept, bool with_online_target) const override;

  // For tests: noise to use in the following assessments, [rows][actions], instead of draws; an
  // empty span ends it.
  void use_noise(std::span<const float> next) { given_next_ = next; }

 private:
  // The target's smoothed action at s'.
  const float* choose_next(const actor_critic::NormalRows& noise, Range rows) override;
  void update_part(int rank);
  void learn_actor(int rank, Range rows);

  Td3Config config_;
  nn::Rows noise_, slope_;
  std::span<const float> given_next_;

  Td3Counts counts_;
};

// Its networks; input sizes that depend on observation and action are left open.
actor_critic::Shapes shapes_of(const Td3Config& config, int actions, int max_rows);

}  // namespace tarl::agents
