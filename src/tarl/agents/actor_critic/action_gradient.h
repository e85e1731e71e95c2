// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/agents/actor_critic/group.h"

namespace tarl::agents::actor_critic {

// dQ/da, for the actor. Each row's gradient goes through one critic (in SAC the smallest), so the
// critics work on disjoint sets of rows; only the action's columns of the first layer are computed.
class ActionGradient {
 public:
  ActionGradient(const Group& critics, int obs_size, int action_size, int max_rows,
                 nn::Arena& arena);

  // As for Group, for critics of these shapes.
  static void count_memory(const std::vector<nn::Mlp>& critics, int action_size, int max_rows,
                           nn::Arena& arena);

  // This rank's part of the preparation for run(), after the critics' values have changed; meet
  // before run().
  void refresh(int rank, int members);

  // da.row(i) = scale * dQ_c/da at row i, c = critic[i], from the activations in `pass`, for i in
  // `rows`. Ranks with disjoint rows do not interfere. da has room for padded(action).
  void run(const Pass& pass, std::span<const int> critic, float scale, Range rows, nn::Rows da);

 private:
  int collect(int net, const Pass& pass, std::span<const int> critic, Range rows);
  void chain(std::size_t net, float scale, Range rows);

  struct Net {
    std::vector<nn::Rows> transposed;  // weights of the layers after the first
    nn::Linear action;                 // the first layer's rows that belong to the action
    nn::Rows action_transposed;
  };

  const Group* critics_;
  std::vector<Net> nets_;
  // Rows of one critic, moved together within a rank's share.
  std::vector<nn::Rows> gate_;   // activations of the hidden layers
  std::vector<nn::Rows> delta_;  // their gradients
  nn::Rows dq_;
  nn::Rows da_;
  std::vector<int> source_;
};

}  // namespace tarl::agents::actor_critic
