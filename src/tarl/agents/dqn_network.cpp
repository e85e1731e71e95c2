// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn_network.h"

#include <cstring>
#include <string>

#include "tarl/agents/dueling.h"
#include "tarl/core/error.h"
#include "tarl/nn/bit_encoder.h"
#include "tarl/nn/float_encoder.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/nature_encoder.h"

namespace tarl::agents {

namespace {

using nn::Rows;

const char* kind_name(rl::ObsKind kind) {
  switch (kind) {
    case rl::ObsKind::kBits:
      return "bits";
    case rl::ObsKind::kBytes:
      return "pixels";
    case rl::ObsKind::kFloats:
      break;
  }
  return "vectors";
}

void require_kind(NetworkKind network, const rl::ObsSpec& obs, rl::ObsKind kind) {
  if (obs.kind == kind) return;
  const std::string name = kNetworkNames[static_cast<std::size_t>(network)];
  throw UsageError("policy.network = " + name + " reads " + kind_name(kind) +
                   ", but this task's observations are " + kind_name(obs.kind) +
                   "; use policy.network = auto");
}

std::unique_ptr<nn::Encoder> make_encoder(NetworkKind network, const rl::ObsSpec& obs,
                                          nn::ParameterLayout& layout) {
  if (network == NetworkKind::kMinatar) {
    require_kind(network, obs, rl::ObsKind::kBits);
    return std::make_unique<nn::BitEncoder>(layout, "conv", obs.channels, obs.height, obs.width);
  }
  if (network == NetworkKind::kMlp) {
    require_kind(network, obs, rl::ObsKind::kFloats);
    return std::make_unique<nn::FloatEncoder>(obs.size());
  }
  require_kind(network, obs, rl::ObsKind::kBytes);
  return std::make_unique<nn::NatureEncoder>(layout, obs.channels, obs.height, obs.width);
}

void copy_row(const Rows& from, int i, const Rows& to, int j) {
  std::memcpy(to.row(j), from.row(i), static_cast<std::size_t>(from.stride) * sizeof(float));
}

}  // namespace

QNetwork::QNetwork(const DqnConfig& config, const rl::ObsSpec& obs, int actions,
                   nn::Padding padding)
    : layout_(padding), actions_(actions), dueling_(config.dueling) {
  require(actions > 0, "DQN needs discrete actions");
  require(config.network != NetworkKind::kAuto && !config.net_arch.empty(),
          "settings of DQN that are not completed");
  encoder_ = make_encoder(config.network, obs, layout_);
  std::vector<nn::Head> heads{{"out", actions}};
  if (dueling_) heads = {{"advantage", actions}, {"value", 1}};
  mlp_ =
      nn::Mlp(layout_, "", encoder_->features(), {config.net_arch.begin(), config.net_arch.end()},
              heads, encoder_->feature_order());
}

QPass QNetwork::take_pass(int rows, nn::Arena& arena) const {
  QPass pass{encoder_->take_rows(rows, arena), mlp_.take_rows(rows, arena), {}};
  pass.q = dueling_ ? arena.take_rows(rows, actions_) : pass.rows.output();
  return pass;
}

QWork QNetwork::take_work(int rows, nn::Arena& arena) const {
  QWork work;
  work.mlp = mlp_.take_work(rows, encoder_->trained(), arena);
  work.dq = dueling_ ? arena.take_rows(rows, actions_) : work.mlp.output();
  if (encoder_->trained()) work.dfeatures = arena.take_rows(rows, encoder_->delta_width());
  return work;
}

void QNetwork::combine(const QPass& pass, Range rows) const {
  if (!dueling_) return;
  for (int i = rows.begin; i < rows.end; ++i) {
    combine_dueling(pass.rows.output().row(i), actions_, pass.q.row(i));
  }
}

void QNetwork::split(const QWork& work, Range rows) const {
  if (!dueling_) return;
  for (int i = rows.begin; i < rows.end; ++i) {
    split_dueling(work.dq.row(i), actions_, work.mlp.output().row(i));
  }
}

void QNetwork::forward(const float* values, const nn::ObsRows& obs, Range rows,
                       const QPass& pass) const {
  if (rows.size() == 0) return;
  encoder_->forward(values, obs, rows, pass.maps);
  mlp_.forward(values, pass.maps.back(), rows, pass.rows, encoder_->sparse());
  combine(pass, rows);
}

void QNetwork::forward(std::span<const QTask> tasks, int n, Range rows, int rank,
                       Team& team) const {
  if (!mlp_.first_by_outputs()) {
    for (const QTask& task : tasks) forward(task.values, task.obs, rows, *task.pass);
    return;
  }
  for (const QTask& task : tasks) {
    encoder_->forward(task.values, task.obs, rows, task.pass->maps);
  }
  team.barrier();
  for (const QTask& task : tasks) {
    mlp_.forward_first(task.values, task.pass->maps.back(), n, rank, team.size(), task.pass->rows,
                       encoder_->sparse());
  }
  team.barrier();
  for (const QTask& task : tasks) {
    mlp_.forward_rest(task.values, rows, task.pass->rows);
    combine(*task.pass, rows);
  }
}

void QNetwork::forward_row(const float* values, const std::byte* obs, const QPass& pass) const {
  encoder_->forward(values, {obs, 0}, {0, 1}, pass.maps);
  mlp_.forward_row(values, pass.maps.back().data, pass.rows);
  combine(pass, {0, 1});
}

void QNetwork::gather(const QPass& from, std::span<const int> kept, Range share,
                      const QPass& to) const {
  for (int i = share.begin; i < share.end; ++i) {
    const int row = kept[static_cast<std::size_t>(i)];
    copy_row(from.maps.back(), row, to.maps.back(), i);
    // The output itself is not read by backward().
    for (std::size_t l = 0; l + 1 < from.rows.layer.size(); ++l) {
      copy_row(from.rows.layer[l], row, to.rows.layer[l], i);
    }
  }
}

void QNetwork::refresh(const float* values, int rank, int team_size, const QWork& work) const {
  mlp_.refresh(values, rank, team_size, work.mlp);
}

void QNetwork::backward(nn::Parameters& parameters, const nn::ObsRows& obs, const QPass& pass,
                        const QPass& gathered, std::span<const int> kept, const QWork& work,
                        int rank, Team& team) const {
  const int n = static_cast<int>(kept.size());
  split(work, share(n, rank, team.size(), nn::kLanes));
  const nn::ConstRows features = gathered.maps.back();
  nn::InputGradient input;
  if (encoder_->trained()) input = {work.dfeatures, features};
  mlp_.backward(parameters, features, gathered.rows, work.mlp, n, input, rank, team);
  if (!encoder_->trained()) return;
  team.barrier();
  encoder_->backward(parameters.values(), obs, pass.maps, kept, work.dfeatures, rank, team,
                     parameters.grads());
}

double QNetwork::forward_work() const {
  return encoder_->forward_work() + mlp_.multiply_adds();
}

double QNetwork::backward_work() const {
  const nn::Linear& first = mlp_.layers().front();
  const double skipped = encoder_->trained() ? 0 : static_cast<double>(first.in) * first.out;
  return encoder_->backward_work() + 2 * mlp_.multiply_adds() - skipped;
}

}  // namespace tarl::agents
