// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tarl/agents/dqn_config.h"
#include "tarl/core/threads.h"
#include "tarl/nn/encoder.h"
#include "tarl/nn/mlp.h"
#include "tarl/rl/spec.h"

namespace tarl::agents {

// Activations of one network on one set of observations.
struct QPass {
  std::vector<nn::Rows> maps;  // the encoder's; the last are the features
  nn::MlpRows rows;
  nn::Rows q;  // [rows][actions]
};

// A forward pass to run: a network's values on observations.
struct QTask {
  const float* values = nullptr;
  nn::ObsRows obs;
  const QPass* pass = nullptr;
};

// Workspace of a backward pass, sized once.
struct QWork {
  nn::Rows dq;         // [rows][actions] the caller's gradient, zeros beyond the actions
  nn::Rows dfeatures;  // gradient of the features, if the encoder is trained
  nn::MlpWork mlp;
};

// Q(s, .) = head(encoder(s)): convolutions if observations are images, then linear layers, then one
// value per action, or (dueling) V + A - mean A. Holds shapes only; values are passed in, so one
// object serves the online and the target network.
class QNetwork {
 public:
  // Throws UsageError if the network does not fit the observations.
  QNetwork(const DqnConfig& config, const rl::ObsSpec& obs, int actions,
           nn::Padding padding = nn::Padding::kVectors);

  const nn::ParameterLayout& layout() const { return layout_; }

  const nn::Encoder& encoder() const { return *encoder_; }

  // The layers after the encoder, whose tensors come first in the layout.
  const std::vector<nn::Linear>& layers() const { return mlp_.layers(); }

  int actions() const { return actions_; }

  QPass take_pass(int rows, nn::Arena& arena) const;
  QWork take_work(int rows, nn::Arena& arena) const;

  void forward(const float* values, const nn::ObsRows& obs, Range rows, const QPass& pass) const;

  // Several passes over rows [0, n) by a team; this rank takes `rows` wherever work is split by
  // rows. SPMD; on return q is complete in these rows only, so meet before using others.
  void forward(std::span<const QTask> tasks, int n, Range rows, int rank, Team& team) const;

  // Row 0 of `pass` for one observation, skipping zeros: for acting. The same bits as forward().
  void forward_row(const float* values, const std::byte* obs, const QPass& pass) const;

  // Copies rows kept[i] of `from` to rows i of `to`, for i in `share`: what backward() reads.
  void gather(const QPass& from, std::span<const int> kept, Range share, const QPass& to) const;

  // Gradients of all parameters, at their values, from work.dq of which this rank has filled (and
  // `gathered` of which it has gathered) rows share(kept.size(), rank, team.size(), kLanes). SPMD
  // as in nn/mlp.h; refresh() must have run on the values since they changed. `obs` and `pass` are
  // the assessed rows, `gathered` the kept ones.
  void refresh(const float* values, int rank, int team_size, const QWork& work) const;
  void backward(nn::Parameters& parameters, const nn::ObsRows& obs, const QPass& pass,
                const QPass& gathered, std::span<const int> kept, const QWork& work, int rank,
                Team& team) const;

  // Multiply-adds of one row, counted densely.
  double forward_work() const;
  double backward_work() const;

 private:
  void combine(const QPass& pass, Range rows) const;
  void split(const QWork& work, Range rows) const;

  nn::ParameterLayout layout_;
  std::unique_ptr<nn::Encoder> encoder_;
  nn::Mlp mlp_;
  int actions_;
  bool dueling_;
};

}  // namespace tarl::agents
