// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/group.h"

#include <algorithm>
#include <cstring>

#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents::actor_critic {

namespace {

// Rows taken through all layers of a network together, so that activations are still in cache when
// the next layer reads them.
constexpr int kBlock = 64;

nn::OptimizerConfig adam(double learning_rate) {
  return {.kind = nn::OptimizerKind::kAdam, .learning_rate = learning_rate};
}

}  // namespace

TrainedNames group_names(const std::string& prefix) {
  return {.online = prefix,
          .target = "target." + prefix,
          .moment = prefix,
          .steps = "optimizer." + prefix + "steps"};
}

Group::Group(const Shape& shape, Rng init, nn::Arena& arena)
    : nets_(plan(shape, layout_)),
      optimizer_(adam(shape.learning_rate)),
      online_(nn::Parameters::trained(layout_, optimizer_.states(), arena)),
      squares_(static_cast<std::size_t>(nn::norm_chunks(online_))) {
  online_.initialise(init);
  if (shape.has_target) target_ = nn::Parameters::frozen(layout_, arena);
  mix_target(1);
  for (const nn::Mlp& net : nets_) work_.push_back(net.take_work(shape.max_rows, false, arena));
}

std::vector<nn::Mlp> Group::plan(const Shape& shape, nn::ParameterLayout& layout) {
  std::vector<nn::Mlp> nets;
  for (const Net& net : shape.nets) {
    nets.emplace_back(layout, net.prefix, shape.in, shape.hidden, net.heads);
  }
  return nets;
}

void Group::count_memory(const Shape& shape, int passes, nn::Arena& arena) {
  nn::ParameterLayout layout;
  const std::vector<nn::Mlp> nets = plan(shape, layout);
  nn::Parameters::trained(layout, nn::Optimizer(adam(shape.learning_rate)).states(), arena);
  if (shape.has_target) nn::Parameters::frozen(layout, arena);
  for (const nn::Mlp& net : nets) {
    net.take_work(shape.max_rows, false, arena);
    for (int pass = 0; pass < passes; ++pass) net.take_rows(shape.max_rows, arena);
  }
}

void Group::mix_target(double tau) {
  if (target_) nn::mix_into(*target_, online_, tau);
}

Pass Group::take_pass(int rows, nn::Arena& arena) const {
  Pass pass;
  for (const nn::Mlp& net : nets_) pass.net.push_back(net.take_rows(rows, arena));
  return pass;
}

void Group::forward(const nn::Parameters& values, nn::ConstRows x, Range rows, const Pass& out,
                    int nets) const {
  for (int i = 0; i < (nets < 0 ? count() : nets); ++i) {
    for (int begin = rows.begin; begin < rows.end; begin += kBlock) {
      net(i).forward(values.values(), x, {begin, std::min(rows.end, begin + kBlock)},
                     out.net[static_cast<std::size_t>(i)]);
    }
  }
}

void Group::outputs(const nn::Parameters& values, nn::ConstRows x, Range rows,
                    const Pass& out) const {
  nn::MlpRows block;
  for (int i = 0; i < count(); ++i) {
    const std::vector<nn::Rows>& whole = out.net[static_cast<std::size_t>(i)].layer;
    block.layer.clear();
    for (const nn::Rows& layer : whole)
      block.layer.push_back({layer.row(rows.begin), layer.stride});
    for (int begin = rows.begin; begin < rows.end; begin += kBlock) {
      block.layer.back().data = whole.back().row(begin);
      net(i).forward(values.values(), {x.row(begin), x.stride},
                     {0, std::min(kBlock, rows.end - begin)}, block);
    }
  }
}

void Group::gather(const Pass& from, std::span<const int> kept, Range rows, const Pass& to) const {
  for (std::size_t i = 0; i < nets_.size(); ++i) {
    for (std::size_t l = 0; l < nets_[i].layers().size(); ++l) {
      const auto bytes = static_cast<std::size_t>(nets_[i].layers()[l].out) * sizeof(float);
      for (int row = rows.begin; row < rows.end; ++row) {
        std::memcpy(to.net[i].layer[l].row(row),
                    from.net[i].layer[l].row(kept[static_cast<std::size_t>(row)]), bytes);
      }
    }
  }
}

void Group::refresh(int rank, int members) {
  for (std::size_t i = 0; i < nets_.size(); ++i) {
    nets_[i].refresh(online_.values(), rank, members, work_[i]);
  }
}

void Group::backward(nn::ConstRows x, const Pass& pass, int n, int rank, Team& team) {
  for (std::size_t i = 0; i < nets_.size(); ++i) {
    nets_[i].backward(online_, x, pass.net[i], work_[i], n, {}, rank, team);
  }
}

double Group::gradient_norm(int rank, Team& team) {
  team.barrier();
  nn::square_gradients(online_, share(nn::norm_chunks(online_), rank, team.size()), squares_);
  team.barrier();
  return nn::norm_of(squares_);
}

void Group::apply(int rank, int members) {
  const int size = static_cast<int>(online_.size());
  optimizer_.apply(online_, share(size, rank, members, nn::kLanes), 1.0F);
}

void Group::put_parameters(const std::string& prefix, Tensors& out) const {
  nn::export_tensors(layout_, online_.values(), prefix, out);
}

void Group::put_gradients(const std::string& prefix, Tensors& out) const {
  nn::export_tensors(layout_, online_.grads(), prefix, out);
}

void Group::set_parameters(const std::string& prefix, const StateReader& in) {
  nn::import_tensors(layout_, in, prefix, online_.values());
  mix_target(1);
}

void Group::save(const std::string& prefix, StateWriter& out) const {
  const nn::Parameters* target = target_ ? &*target_ : nullptr;
  save_trained(layout_, optimizer_, trained_arrays<const float>(online_, target, optimizer_),
               group_names(prefix), out);
}

void Group::load(const std::string& prefix, const StateReader& in) {
  nn::Parameters* target = target_ ? &*target_ : nullptr;
  load_trained(layout_, in, optimizer_, trained_arrays<float>(online_, target, optimizer_),
               group_names(prefix));
}

}  // namespace tarl::agents::actor_critic
