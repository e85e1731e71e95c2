// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/agents/actor_critic/actor.h"
#include "tarl/agents/actor_critic/critics.h"
#include "tarl/agents/actor_critic/noise.h"
#include "tarl/agents/td3_config.h"
#include "tarl/rl/agent.h"

namespace tarl::agents {

// TD3 (Fujimoto et al. 2018), and by settings DDPG (Lillicrap et al. 2016).
//   y = r + discount min_j Q_j(s', a'; target),  a' = clamp(mu(s'; target) + clamp(noise))
// One a' serves the offline and the online target. Results depend on neither the size of the team
// nor the instruction set.
class Td3Agent final : public rl::Agent {
 public:
  // `max_rows` is the largest batch assess() will get. Targets start as copies. The team must
  // outlive the agent. Throws UsageError on settings that do not fit.
  Td3Agent(const Td3Config& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
           int max_rows, Rng init, Team& team);

  // Bytes that such an agent takes for its networks.
  static double bytes_needed(const Td3Config& config, const rl::ObsSpec& obs,
                             const rl::ActionSpec& action, int max_rows);

  double bytes_taken() const { return static_cast<double>(arena_.bytes()); }

  // mu(s), while exploring with noise (one normal() an action from the row's stream). Epsilon is
  // not used.
  void act(std::span<const std::byte> obs, int n, const rl::ActMode& mode, std::span<Rng> streams,
           std::span<rl::Action> out) override;
  const rl::Assessment& assess(const rl::Batch& batch, bool with_online_target, Rng& rng) override;
  // Steps the critics, and the actor every policy_delay-th time. Weights multiply the critics' loss
  // only. Throws NonFiniteError before the critics' or the actor's step when its loss is not
  // finite.
  const rl::UpdateStats& update(std::span<const std::int32_t> kept, std::span<const float> weight,
                                Rng& rng) override;
  // Does nothing unless the last update was one of the actor's: targets move with the actor.
  void sync_target(double tau) override;
  void set_rate_share(double share) override;
  Tensors parameters() const override;
  // Targets become copies.
  void set_parameters(const StateReader& in) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  // Averaged over policy_delay updates.
  double update_flops(int candidates, int kept, bool with_online_target) const override;

  // For tests: the noise of the following assessments, [rows][actions], instead of draws; an empty
  // span ends it.
  void use_noise(std::span<const float> next) { given_next_ = next; }

  nn::ConstRows next_actions() const;  // of the last assess(), [rows][actions]

  // The last update's gradients, named as parameters(); the actor's are those of its last step.
  Tensors gradients() const;

 private:
  void choose(const float* mu, const rl::ActMode& mode, Rng& stream, rl::Action& out) const;
  void next_rows(const actor_critic::NormalRows& noise, Range rows);
  void update_part(int rank);
  void learn_actor(int rank, Range rows);
  void check_finite() const;

  Td3Config config_;
  int obs_;
  int action_;
  Team& team_;

  nn::Arena arena_;
  actor_critic::Actor actor_;
  actor_critic::Critics critics_;
  nn::Rows noise_, da_, slope_;
  std::span<const float> given_next_;

  std::int64_t updates_ = 0;
  bool actor_learned_ = false;  // in the last update
  std::vector<double> row_actor_;

  struct Losses {
    double critic = 0, critic_norm = 0, actor = 0, actor_norm = 0;
    bool stepped = false;  // the critics
  } losses_;

  rl::UpdateStats stats_;
};

}  // namespace tarl::agents
