// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/action_gradient.h"

#include <cstring>

#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/linear.h"

namespace tarl::agents::actor_critic {

ActionGradient::ActionGradient(const Group& critics, int obs_size, int action_size, int max_rows,
                               nn::Arena& arena)
    : critics_(&critics),
      dq_(arena.take_rows(max_rows, 1)),
      da_(arena.take_rows(max_rows, action_size)),
      source_(static_cast<std::size_t>(max_rows)) {
  for (int i = 0; i < critics.count(); ++i) {
    Net net;
    const std::vector<nn::Linear>& layers = critics.net(i).layers();
    for (std::size_t l = 1; l < layers.size(); ++l) {
      net.transposed.push_back(nn::take_transposed_weights(layers[l], arena));
    }
    net.action = layers[0];
    net.action.in = action_size;
    net.action.weight +=
        static_cast<std::size_t>(obs_size) * static_cast<std::size_t>(layers[0].stride);
    net.action_transposed = nn::take_transposed_weights(net.action, arena);
    nets_.push_back(std::move(net));
  }
  const std::vector<nn::Linear>& layers = critics.net(0).layers();
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    gate_.push_back(arena.take_rows(max_rows, layers[l].out));
    delta_.push_back(arena.take_rows(max_rows, layers[l].out));
  }
}

void ActionGradient::count_memory(const std::vector<nn::Mlp>& critics, int action_size,
                                  int max_rows, nn::Arena& arena) {
  arena.take_rows(max_rows, 1);
  arena.take_rows(max_rows, action_size);
  for (const nn::Mlp& critic : critics) {
    nn::Linear action = critic.layers()[0];
    action.in = action_size;
    nn::take_transposed_weights(action, arena);
    for (std::size_t l = 1; l < critic.layers().size(); ++l) {
      nn::take_transposed_weights(critic.layers()[l], arena);
    }
  }
  const std::vector<nn::Linear>& layers = critics.front().layers();
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    for (int array = 0; array < 2; ++array) arena.take_rows(max_rows, layers[l].out);
  }
}

void ActionGradient::refresh(int rank, int members) {
  const float* values = critics_->online().values();
  for (std::size_t i = 0; i < nets_.size(); ++i) {
    const Net& net = nets_[i];
    const std::vector<nn::Linear>& layers = critics_->net(static_cast<int>(i)).layers();
    for (std::size_t l = 1; l < layers.size(); ++l) {
      nn::transpose_weights(layers[l], values, share(layers[l].in, rank, members, nn::kLanes),
                            net.transposed[l - 1]);
    }
    nn::transpose_weights(net.action, values, share(net.action.in, rank, members, nn::kLanes),
                          net.action_transposed);
  }
}

// Compacts this critic's rows from rows.begin on; returns the end.
int ActionGradient::collect(int net, const Pass& pass, std::span<const int> critic, Range rows) {
  const std::vector<nn::Linear>& layers = critics_->net(net).layers();
  int end = rows.begin;
  for (int row = rows.begin; row < rows.end; ++row) {
    if (critic[static_cast<std::size_t>(row)] != net) continue;
    for (std::size_t l = 0; l < gate_.size(); ++l) {
      std::memcpy(gate_[l].row(end), pass.net[static_cast<std::size_t>(net)].layer[l].row(row),
                  static_cast<std::size_t>(layers[l].out) * sizeof(float));
    }
    source_[static_cast<std::size_t>(end++)] = row;
  }
  return end;
}

void ActionGradient::chain(std::size_t net, float scale, Range rows) {
  const float* values = critics_->online().values();
  const std::vector<nn::Linear>& layers = critics_->net(static_cast<int>(net)).layers();
  for (int row = rows.begin; row < rows.end; ++row) *dq_.row(row) = scale;
  nn::ConstRows above = dq_;
  for (std::size_t l = layers.size(); --l > 0;) {
    nn::backward_rows(layers[l], values, nets_[net].transposed[l - 1], above, rows, delta_[l - 1],
                      gate_[l - 1]);
    above = delta_[l - 1];
  }
  nn::backward_rows(nets_[net].action, values, nets_[net].action_transposed, above, rows, da_, {});
}

void ActionGradient::run(const Pass& pass, std::span<const int> critic, float scale, Range rows,
                         nn::Rows da) {
  for (std::size_t i = 0; i < nets_.size(); ++i) {
    const int end = collect(static_cast<int>(i), pass, critic, rows);
    if (end == rows.begin) continue;
    chain(i, scale, {rows.begin, end});
    const auto bytes = static_cast<std::size_t>(nets_[i].action.in) * sizeof(float);
    for (int row = rows.begin; row < end; ++row) {
      std::memcpy(da.row(source_[static_cast<std::size_t>(row)]), da_.row(row), bytes);
    }
  }
}

}  // namespace tarl::agents::actor_critic
