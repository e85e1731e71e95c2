// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/agents/actor_critic/action_gradient.h"
#include "tarl/agents/actor_critic/group.h"
#include "tarl/agents/kept_rows.h"
#include "tarl/rl/agent.h"

namespace tarl::agents::actor_critic {

// The critics Q_j(s, a) of SAC and TD3: their assessment of a batch, one step on their loss, and
// the gradient an actor climbs. Works on ranges of rows, so a team shares each pass.
class Critics {
 public:
  struct Shape {
    int obs = 0;
    int action = 0;
    std::vector<std::int64_t> hidden;
    int count = 2;
    double learning_rate = 0;
    double loss_scale = 1;  // of each critic's mean squared error
    bool clipped = true;    // score with the smallest critic's targets, or each with its own
    int max_rows = 0;
  };

  Critics(const Shape& shape, Rng init, nn::Arena& arena);

  // As for Group.
  static void count_memory(const Shape& shape, nn::Arena& arena);

  Group& group() { return group_; }

  const Group& group() const { return group_; }

  // Assessment of a batch, which must outlive the update. First all rows are loaded and the caller
  // writes the next actions into columns [obs, obs + action) of next_x(); then
  //   y = r + discount (min_j Q_j(s', a') - entropy)
  // with the target's critics, and with the online ones if asked for. `entropy` is alpha log pi of
  // each row, or null.
  void begin(const rl::Batch& batch);
  void load_rows(Range rows);

  nn::Rows next_x() const { return next_x_; }

  void assess_rows(bool with_online_target, const float* entropy, Range rows);
  const rl::Assessment& assessment(bool with_online_target);

  int assessed_rows() const { return assessment_.rows; }

  // The update: keep() once, then each rank gathers its share(kept().size(), ..., kLanes) of rows,
  // from the activations of the assessment.
  void keep(std::span<const std::int32_t> kept, std::span<const float> weight);

  const KeptRows& kept() const { return kept_; }

  void gather_rows(Range rows);

  // Observation and action of each kept row, after gathering.
  nn::ConstRows kept_x() const { return kept_.all() ? x_ : kept_x_; }

  // The loss and the norm of its gradient, the same on every rank. Meets the others.
  struct Loss {
    double value = 0;
    double norm = 0;
  };

  Loss learn(int rank, Team& team);

  // Q at the kept observations and the actor's actions in columns [obs, ...) of policy_x(): the
  // smallest critic's, or the first one's. Requires group().apply() and refresh_gradient() done.
  nn::Rows policy_x() const { return policy_x_; }

  void load_policy_rows(Range rows);  // the observations

  void refresh_gradient(int rank, int members) { gradient_.refresh(rank, members); }

  void evaluate_policy(bool smallest, Range rows);

  float policy_value(int row) const { return policy_value_[static_cast<std::size_t>(row)]; }

  // da.row(i) = scale dQ/da of that value.
  void action_gradient(float scale, Range rows, nn::Rows da);

  // Multiply-adds of a row, counted densely: forward, backward with weights, backward to the
  // action.
  double forward_work() const;
  double backward_work() const;
  double gradient_work() const;

 private:
  float smallest(const Pass& pass, int row) const;
  void write_targets(bool with_online_target, float entropy, int row);

  int obs_;
  int action_;
  bool clipped_;
  double loss_scale_;
  Group group_;
  nn::Rows x_, next_x_, kept_x_, policy_x_;  // [rows][obs + action]
  Pass online_, target_next_, online_next_, kept_pass_, policy_pass_;
  ActionGradient gradient_;

  const rl::Batch* batch_ = nullptr;
  std::vector<float> q_, y_online_, y_offline_;  // [count][rows]
  std::vector<float> target_;                    // [rows] the critics' regression target
  std::vector<float> abs_error_;
  rl::Assessment assessment_;
  KeptRows kept_;
  std::vector<double> row_loss_;
  std::vector<float> policy_value_;
  std::vector<int> policy_critic_;
};

// The group that critics are.
Group::Shape critics_group(const Critics::Shape& shape);

}  // namespace tarl::agents::actor_critic
