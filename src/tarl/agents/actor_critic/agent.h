// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "tarl/agents/actor_critic/actor.h"
#include "tarl/agents/actor_critic/critics.h"
#include "tarl/agents/actor_critic/noise.h"
#include "tarl/rl/agent.h"

namespace tarl::agents::actor_critic {

struct Shapes {
  Actor::Shape actor;
  Critics::Shape critics;
};

// Fills in the input sizes of actor and critics.
Shapes sized(Shapes shapes, int obs, int actions);

// What may be non-finite in an update, in the order in which it is checked.
inline constexpr const char* kCriticLossName = "critics' loss";
inline constexpr const char* kCriticNormName = "norm of the critics' gradient";
inline constexpr const char* kTemperatureLossName = "temperature's loss";
inline constexpr const char* kActorLossName = "actor's loss";
inline constexpr const char* kActorNormName = "norm of the actor's gradient";

// Throws NonFiniteError if it is not finite, on a batch of that many rows.
void require_finite(const char* what, double value, int rows);

// What SAC and TD3 share: an actor, its critics, and the order in which a team passes a batch
// through them. One next action a' serves the offline and the online target.
class ActorCritic : public rl::Agent {
 public:
  Tensors parameters() const override;
  // Targets become copies.
  void set_parameters(const StateReader& in) override;

  // The last update's gradients, named as parameters(); the actor's are those of its last step.
  virtual Tensors gradients() const;

  void set_rate_share(double share) override;

  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  const rl::Assessment& assess(const rl::Batch& batch, bool with_online_target, Rng& rng) final;

  double bytes_taken() const { return static_cast<double>(arena_.bytes()); }

  // For tests: the a' of the last assess(), [rows][actions].
  nn::ConstRows next_actions() const;

 protected:
  // Takes shapes without input sizes, which it fills in. Throws UsageError if observations are not
  // vectors; `name` is the algorithm's.
  ActorCritic(const std::string& name, const rl::ObsSpec& obs, const rl::ActionSpec& action,
              const Shapes& shapes, Rng init, Team& team);

  // Allocates from an arena that only counts, to size the above.
  static void count_memory(const rl::ObsSpec& obs, const rl::ActionSpec& action,
                           const Shapes& shapes, nn::Arena& arena);

  // Writes a' of `rows` after the next observations in critics_.next_x(). Returns alpha log
  // pi(a' | s') of each row of the batch, or null if there is no entropy.
  virtual const float* choose_next(const NormalRows& noise, Range rows) = 0;

  struct Losses {
    double critic = 0, critic_norm = 0, temperature = 0, actor = 0, actor_norm = 0;
    bool critics_stepped = false;
  };

  // Parts of an update. Every rank computes the same losses and norms, and so makes the same
  // decisions. Returns whether the critics stepped: they do not if a loss is not finite.
  bool step_critics(int rank, const Critics::Loss& loss, double temperature_loss);
  // From the gradient at the actor's outputs, in actor_.group().delta(0), and row_actor_.
  void step_actor(int rank);
  // Throws NonFiniteError if a loss or a norm of this update is not finite.
  void check_finite() const;

  const int obs_;
  const int action_;
  Team& team_;
  nn::Arena arena_;
  Actor actor_;
  Critics critics_;
  nn::Rows da_;  // the critics' gradient at the actor's actions
  std::vector<double> row_actor_;
  Losses losses_;
  rl::UpdateStats stats_;
};

}  // namespace tarl::agents::actor_critic
