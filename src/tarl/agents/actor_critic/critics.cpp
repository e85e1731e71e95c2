// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/critics.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tarl/agents/actor_critic/actor.h"
#include "tarl/agents/td_target.h"
#include "tarl/core/error.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents::actor_critic {

namespace {

std::size_t float_bytes(int count) {
  return static_cast<std::size_t>(count) * sizeof(float);
}

}  // namespace

Group::Shape critics_group(const Critics::Shape& shape) {
  Group::Shape out;
  out.in = shape.obs + shape.action;
  out.hidden = widths(shape.hidden);
  for (int i = 0; i < shape.count; ++i) {
    out.nets.push_back({"q" + std::to_string(i + 1) + ".", {{"out", 1}}});
  }
  out.learning_rate = shape.learning_rate;
  out.has_target = true;
  out.max_rows = shape.max_rows;
  return out;
}

Critics::Critics(const Shape& shape, Rng init, nn::Arena& arena)
    : obs_(shape.obs),
      action_(shape.action),
      clipped_(shape.clipped),
      loss_scale_(shape.loss_scale),
      group_(critics_group(shape), init, arena),
      x_(arena.take_rows(shape.max_rows, obs_ + action_)),
      next_x_(arena.take_rows(shape.max_rows, obs_ + action_)),
      kept_x_(arena.take_rows(shape.max_rows, obs_ + action_)),
      policy_x_(arena.take_rows(shape.max_rows, obs_ + action_)),
      online_(group_.take_pass(shape.max_rows, arena)),
      target_next_(group_.take_pass(shape.max_rows, arena)),
      online_next_(group_.take_pass(shape.max_rows, arena)),
      kept_pass_(group_.take_pass(shape.max_rows, arena)),
      policy_pass_(group_.take_pass(shape.max_rows, arena)),
      gradient_(group_, obs_, action_, shape.max_rows, arena),
      kept_(shape.max_rows) {
  const auto rows = static_cast<std::size_t>(shape.max_rows);
  for (std::vector<float>* values : {&q_, &y_online_, &y_offline_}) {
    values->resize(rows * static_cast<std::size_t>(shape.count));
  }
  for (std::vector<float>* values : {&target_, &abs_error_, &policy_value_}) values->resize(rows);
  row_loss_.resize(rows);
  policy_critic_.resize(rows);
}

void Critics::count_memory(const Shape& shape, nn::Arena& arena) {
  const Group::Shape group = critics_group(shape);
  Group::count_memory(group, 5, arena);
  for (int input = 0; input < 4; ++input) {
    arena.take_rows(shape.max_rows, shape.obs + shape.action);
  }
  nn::ParameterLayout layout;
  ActionGradient::count_memory(Group::plan(group, layout), shape.action, shape.max_rows, arena);
}

void Critics::begin(const rl::Batch& batch) {
  require(batch.rows > 0 && batch.rows <= static_cast<int>(target_.size()),
          "batch larger than the agent was made for");
  require(batch.obs_bytes == float_bytes(obs_) && batch.action_size == action_,
          "observations or actions of another size");
  batch_ = &batch;
}

void Critics::load_rows(Range rows) {
  const nn::ConstRows actions(batch_->action.data(), action_);
  for (int row = rows.begin; row < rows.end; ++row) {
    std::memcpy(x_.row(row), batch_->obs_row(row), float_bytes(obs_));
    std::memcpy(x_.row(row) + obs_, actions.row(row), float_bytes(action_));
    std::memcpy(next_x_.row(row), batch_->next_obs_row(row), float_bytes(obs_));
  }
}

float Critics::smallest(const Pass& pass, int row) const {
  float value = pass.value(0, row);
  for (int i = 1; i < group_.count(); ++i) value = smaller_value(value, pass.value(i, row));
  return value;
}

void Critics::write_targets(bool with_online_target, float entropy, int row) {
  const auto at = static_cast<std::size_t>(row);
  const auto rows = static_cast<std::size_t>(batch_->rows);
  const auto y = [&](float value) {
    return td_target(batch_->reward[at], batch_->discount[at], value - entropy);
  };
  target_[at] = y(smallest(target_next_, row));
  const float online = with_online_target && clipped_ ? y(smallest(online_next_, row)) : 0;
  float error = 0;
  for (int i = 0; i < group_.count(); ++i) {
    const std::size_t slot = static_cast<std::size_t>(i) * rows + at;
    q_[slot] = online_.value(i, row);
    y_offline_[slot] = clipped_ ? target_[at] : y(target_next_.value(i, row));
    if (with_online_target) y_online_[slot] = clipped_ ? online : y(online_next_.value(i, row));
    error += std::fabs(target_[at] - q_[slot]);
  }
  abs_error_[at] = error / static_cast<float>(group_.count());
}

void Critics::assess_rows(bool with_online_target, const float* entropy, Range rows) {
  group_.outputs(group_.target(), next_x_, rows, target_next_);
  if (with_online_target) group_.outputs(group_.online(), next_x_, rows, online_next_);
  group_.forward(group_.online(), x_, rows, online_);
  for (int row = rows.begin; row < rows.end; ++row) {
    write_targets(with_online_target, entropy != nullptr ? entropy[row] : 0.0F, row);
  }
}

const rl::Assessment& Critics::assessment(bool with_online_target) {
  const auto rows = static_cast<std::size_t>(batch_->rows);
  const std::size_t all = rows * static_cast<std::size_t>(group_.count());
  assessment_.rows = batch_->rows;
  assessment_.critics = group_.count();
  assessment_.q = {q_.data(), all};
  assessment_.y_offline = {y_offline_.data(), all};
  assessment_.y_online = {y_online_.data(), with_online_target ? all : 0};
  assessment_.abs_error = {abs_error_.data(), rows};
  return assessment_;
}

void Critics::keep(std::span<const std::int32_t> kept, std::span<const float> weight) {
  require(batch_ != nullptr, "update() without assess()");
  kept_.set(kept, weight, batch_->rows);
}

void Critics::gather_rows(Range rows) {
  if (kept_.all()) return;
  group_.gather(online_, kept_.rows(), rows, kept_pass_);
  for (int i = rows.begin; i < rows.end; ++i) {
    std::memcpy(kept_x_.row(i), x_.row(kept_.rows()[static_cast<std::size_t>(i)]),
                float_bytes(obs_ + action_));
  }
}

Critics::Loss Critics::learn(int rank, Team& team) {
  const int n = kept_.size();
  const Range rows = share(n, rank, team.size(), nn::kLanes);
  const Pass& pass = kept_.all() ? online_ : kept_pass_;
  const auto slope = static_cast<float>(2 * loss_scale_ / n);
  for (int i = rows.begin; i < rows.end; ++i) {
    const float y = target_[static_cast<std::size_t>(kept_.rows()[static_cast<std::size_t>(i)])];
    double loss = 0;
    for (int net = 0; net < group_.count(); ++net) {
      const float error = pass.value(net, i) - y;
      loss += loss_scale_ * double{error} * double{error};
      *group_.delta(net).row(i) = kept_.weight(i) * (slope * error);
    }
    row_loss_[static_cast<std::size_t>(i)] = double{kept_.weight(i)} * loss;
  }
  group_.backward(kept_x(), pass, n, rank, team);
  const double norm = group_.gradient_norm(rank, team);
  return {kept_.mean(row_loss_), norm};
}

void Critics::load_policy_rows(Range rows) {
  const nn::ConstRows from = kept_x();
  for (int row = rows.begin; row < rows.end; ++row) {
    std::memcpy(policy_x_.row(row), from.row(row), float_bytes(obs_));
  }
}

void Critics::evaluate_policy(bool smallest, Range rows) {
  const int nets = smallest ? group_.count() : 1;
  group_.forward(group_.online(), policy_x_, rows, policy_pass_, nets);
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto at = static_cast<std::size_t>(row);
    policy_critic_[at] = 0;
    policy_value_[at] = policy_pass_.value(0, row);
    for (int i = 1; i < nets; ++i) {
      const float value = policy_pass_.value(i, row);
      if (!(value < policy_value_[at] || value != value)) continue;
      policy_critic_[at] = i;
      policy_value_[at] = value;
    }
  }
}

void Critics::action_gradient(float scale, Range rows, nn::Rows da) {
  gradient_.run(policy_pass_, policy_critic_, scale, rows, da);
}

double Critics::forward_work() const {
  double work = 0;
  for (int i = 0; i < group_.count(); ++i) work += group_.net(i).multiply_adds();
  return work;
}

double Critics::gradient_work() const {
  double work = 0;
  for (int i = 0; i < group_.count(); ++i) {
    const std::vector<nn::Linear>& layers = group_.net(i).layers();
    work += group_.net(i).multiply_adds() - static_cast<double>(obs_) * layers[0].out;
  }
  return work;
}

double Critics::backward_work() const {
  double work = 0;
  for (int i = 0; i < group_.count(); ++i) {
    const std::vector<nn::Linear>& layers = group_.net(i).layers();
    work += 2 * group_.net(i).multiply_adds() -
            static_cast<double>(layers[0].in) * layers[0].out;  // no gradient of the input
  }
  return work;
}

}  // namespace tarl::agents::actor_critic
