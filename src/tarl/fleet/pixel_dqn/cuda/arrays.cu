// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/fleet/pixel_dqn/cuda/arrays.cuh"
#include "tarl/nn/arena.h"
#include "tarl/nn/nature_encoder.h"
#include "tarl/nn/optimizer.h"

namespace tarl::fleet::pixel_dqn {

namespace {

constexpr int kTermsOfPart = 800;
constexpr int kMostProducts = 40 + kMostPositions;  // per agent

}  // namespace

int Arrays::outputs_row(const AgentPlan& plan) {
  return nn::padded(plan.head.out);
}

Arrays::Arrays(const AgentPlan& plan, float* act_outputs) : plan_(plan) {
  view_.height = plan.height;
  view_.width = plan.width;
  view_.stack = plan.stack;
  view_.actions = plan.actions;
  view_.batch = plan.batch;
  view_.candidates = plan.candidates;
  view_.online_rows = plan.online_rows();
  view_.blocks_high = plan.convs[0].height;
  view_.blocks_wide = plan.convs[0].width;
  view_.z_stride = outputs_row(plan);
  view_.dueling = plan.dueling;
  view_.double_q = plan.double_q;
  view_.scores = plan.scores;
  view_.loss = plan.loss;
  view_.tau = static_cast<float>(plan.tau);
  view_.max_grad_norm = plan.max_grad_norm;
  view_.optimizer = plan.optimizer;
  view_.size = static_cast<std::int32_t>(plan.layout.size());
  view_.pixel_scale = plan.halves ? 1.0F : nn::NatureEncoder::kPixelScale;
  view_.chunks = (view_.size + nn::kNormChunk - 1) / nn::kNormChunk;
  reserve();
  memory_.place();
  upload(std::vector<float>{1.0F}, one_);
  for (std::size_t side = 0; side < products_.size(); ++side) plan_side(side, act_outputs);
}

void Arrays::plan_side(std::size_t side, float* act_outputs) {
  planned_ = &products_[side];
  kept_tables_ = 0;
  view_.values = values_[side];
  view_.stepped = values_[1 - side];
  online_.out = view_.z;
  target_.out = view_.z_target;
  act_.out = act_outputs;
  plan_windows();
  plan_forward(online_, view_.values, view_.x, view_.online_rows, Phase::kConv1);
  plan_forward(target_, view_.target, view_.x + std::int64_t{plan_.candidates} * view_.x_row(),
               plan_.candidates, Phase::kConv1);
  plan_forward(act_, view_.values, view_.act_x, -1, Phase::kActConv1);
  plan_head();
  plan_input_gradient(2, Phase::kBackConv3);
  plan_input_gradient(1, Phase::kBackConv2);
  plan_weights();
  planned_->upload(plan_.act_rows, view_.phase);
  upload(std::vector<AgentView>{view_}, device_view_ + side);
}

void Arrays::reserve_net(std::int64_t rows, NetRows& to) {
  for (std::size_t c = 0; c < plan_.convs.size(); ++c) {
    memory_.reserve(to.maps[c], rows * plan_.convs[c].out_size());
  }
  memory_.reserve(to.hidden, rows * plan_.hidden.stride);
}

void Arrays::reserve_deltas() {
  for (std::size_t c = 0; c < delta_.size(); ++c) {
    const nn::Conv2d& conv = plan_.convs[c];
    Delta& delta = delta_[c];
    const int taps = conv.kernel / conv.stride;  // of a window on one pixel, in each direction
    delta.maps = conv.maps;
    if (c == 0) {  // pixels need no gradient
      delta.height = conv.out_height();
      delta.width = conv.out_width();
    } else {
      delta.pad = taps - 1;
      delta.height = (conv.height - 1) / conv.stride + taps;
      delta.width = (conv.width - 1) / conv.stride + taps;
    }
    memory_.reserve(delta.data, std::int64_t{plan_.batch} * delta.row());
    memory_.reserve(delta.sums, delta.row());
  }
}

void Arrays::reserve() {
  AgentView& v = view_;
  const std::int64_t rows = plan_.candidates, kept = plan_.batch;
  memory_.reserve(device_view_, 2);
  for (Products& products : products_) products.reserve(memory_, kMostProducts);
  memory_.reserve(one_, 1);
  memory_.reserve(v.x, 2 * rows * v.x_row());
  memory_.reserve(v.act_x, std::int64_t{plan_.act_rows} * v.x_row());
  memory_.reserve(v.z, v.online_rows * std::int64_t{v.z_stride});
  memory_.reserve(v.z_target, rows * v.z_stride);
  memory_.reserve(v.q, v.online_rows * std::int64_t{v.actions});
  memory_.reserve(v.q_target, rows * v.actions);
  for (float** array : {&v.reward, &v.discount, &v.y_online, &v.y_offline}) {
    memory_.reserve(*array, rows);
  }
  memory_.reserve(v.action, rows);
  memory_.reserve(v.dq, kept * v.actions);
  memory_.reserve(v.dz, kept * v.z_stride);
  memory_.reserve(v.kept, kept);
  for (float** array : {&values_[0], &values_[1], &v.target, &v.grads, &v.first}) {
    memory_.reserve(*array, v.size);
  }
  if (plan_.optimizer.moments() > 1) memory_.reserve(v.second, v.size);
  memory_.reserve(v.squares, v.chunks);
  memory_.reserve(v.clip, 1);
  if (plan_.halves) {
    memory_.reserve(v.largest_slope, 1);
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      memory_.reserve(parts_[c], std::int64_t{parts_of(c)} * plan_.convs[c].weights.in *
                                     plan_.convs[c].weights.stride);
    }
  }
  memory_.reserve(v.stop, 1);
  reserve_net(v.online_rows, online_);
  reserve_net(rows, target_);
  reserve_net(plan_.act_rows, act_);
  reserve_deltas();
  memory_.reserve(dhidden_, kept * plan_.hidden.stride);
}

// Of the sums over rows and positions, with a few hundred terms each.
int Arrays::parts_of(std::size_t conv) const {
  const nn::Conv2d& of = plan_.convs[conv];
  return (plan_.batch * of.out_height() * of.out_width() + kTermsOfPart - 1) / kTermsOfPart;
}

float Arrays::pixel_factor() const {
  return plan_.halves ? nn::NatureEncoder::kPixelScale : 1.0F;
}

Product Arrays::rounded(const Product& product, Slopes slopes) const {
  return plan_.halves ? on_tensor_cores(product, slopes, view_.largest_slope) : product;
}

Product Arrays::in_parts(std::size_t conv, Product weights) {
  if (!plan_.halves) return weights;
  const std::int32_t count = plan_.convs[conv].weights.in * plan_.convs[conv].weights.stride;
  view_.parts[conv] = {parts_[conv], weights.c, count, parts_of(conv)};
  weights.c = parts_[conv];
  weights.splits = parts_of(conv);
  weights.c_split = count;
  return weights;
}

std::int32_t* Arrays::next_table(int numbers) {
  tables_.push_back(std::make_unique<DeviceMemory>());
  std::int32_t* at = nullptr;
  tables_.back()->reserve(at, numbers);
  tables_.back()->place();
  return at;
}

const std::int32_t* Arrays::table(const std::vector<std::int32_t>& values) {
  std::int32_t* const at = next_table(static_cast<int>(values.size()));
  upload(values, at);
  return at;
}

// Of rows that list_kept() fills in once the kept rows are known.
const std::int32_t* Arrays::kept_table(const std::vector<std::int32_t>& places, int pixels) {
  require(kept_tables_ < kKeptTables, "more tables of kept rows than there is room for");
  const auto count = static_cast<std::int32_t>(places.size());
  KeptPixels& to = view_.kept_pixels[kept_tables_++];
  to = {next_table(plan_.batch * count), table(places), count, pixels};
  return to.out;
}

}  // namespace tarl::fleet::pixel_dqn
