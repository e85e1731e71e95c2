// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/agents/dqn_config.h"
#include "tarl/agents/dqn_network.h"
#include "tarl/agents/kept_rows.h"
#include "tarl/nn/loss.h"
#include "tarl/nn/optimizer.h"
#include "tarl/rl/agent.h"

namespace tarl::agents {

// DQN (Mnih et al. 2015), and by settings double DQN (van Hasselt et al. 2016), dueling networks
// (Wang et al. 2016) and n-step targets (the batch's discount carries gamma^n).
//   y = r + discount max_a Q(s', a; target)                                     DQN
//   y = r + discount Q(s', argmax_a Q(s', a; online); target)                   double
// Results depend on neither the size of the team nor the instruction set.
class DqnAgent final : public rl::Agent {
 public:
  // `max_rows` is the largest batch assess() will get. The target starts as a copy. The team must
  // outlive the agent.
  DqnAgent(const DqnConfig& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
           int max_rows, Rng init, Team& team);

  // Memory of such an agent's networks in bytes.
  static double bytes_needed(const DqnConfig& config, const rl::ObsSpec& obs,
                             const rl::ActionSpec& action, int max_rows);

  double bytes_taken() const { return static_cast<double>(arena_.bytes()); }

  // Greedy, lowest action on ties. With epsilon > 0 each row first draws u = uniform() and, if
  // u < epsilon, takes below(actions).
  void act(std::span<const std::byte> obs, int n, const rl::ActMode& mode, std::span<Rng> streams,
           std::span<rl::Action> out) override;
  const rl::Assessment& assess(const rl::Batch& batch, bool with_online_target, Rng& rng) override;
  // Requires distinct kept rows, in any order. Throws NonFiniteError, leaving all state unchanged,
  // if the loss or the gradient is not finite.
  const rl::UpdateStats& update(std::span<const std::int32_t> kept, std::span<const float> weight,
                                Rng& rng) override;
  void sync_target(double tau) override;

  void set_rate_share(double share) override { optimizer_.set_rate_share(share); }

  Tensors parameters() const override;
  // The target becomes a copy.
  void set_parameters(const StateReader& in) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  double update_flops(int candidates, int kept, bool with_online_target) const override;

  // The last update's gradients before clipping, named as parameters().
  Tensors gradients() const;

 private:
  void assess_part(const rl::Batch& batch, bool with_online_target, int rank);
  void fill_targets(const rl::Batch& batch, bool with_online_target, Range rows);
  void loss_rows(Range rows);
  void update_part(int rank);
  void greedy_rows(std::span<const std::byte> obs, Range rows, std::span<rl::Action> out);

  QNetwork network_;
  nn::LossKind loss_;
  bool double_q_;
  double max_grad_norm_;
  nn::Optimizer optimizer_;
  int max_rows_;
  std::size_t obs_bytes_;
  Team& team_;

  nn::Arena arena_;
  nn::Parameters online_;
  nn::Parameters target_;
  QPass online_at_s_, online_at_next_, target_at_next_, kept_pass_;
  QWork work_;

  const rl::Batch* batch_ = nullptr;  // of the last assess()
  std::vector<float> q_, y_online_, y_offline_, abs_error_;
  rl::Assessment assessment_;

  KeptRows kept_;
  std::vector<double> row_loss_, row_q_;
  std::vector<double> squares_;
  double loss_value_ = 0;
  double grad_norm_ = 0;
  rl::UpdateStats stats_;
};

}  // namespace tarl::agents
