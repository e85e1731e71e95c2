// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/fleet/actor_critic/cuda/arrays.cuh"

namespace tarl::fleet::actor_critic {

namespace {

constexpr int kMostProducts = 256;  // per agent

}  // namespace

Arrays::Arrays(const AgentPlan& plan, const float* act_obs, float* act_heads)
    : plan_(plan),
      critic_(static_cast<std::size_t>(plan.critic_count())),
      delta_(static_cast<std::size_t>(plan.critic_count())) {
  view_.obs = plan.obs;
  view_.actions = plan.actions;
  view_.batch = plan.batch;
  view_.candidates = plan.candidates;
  view_.critics = plan.critic_count();
  view_.sac = plan.sac;
  view_.scores = plan.scores;
  view_.clipped = plan.clipped;
  view_.noise_scale = plan.noise_scale;
  view_.noise_clip = plan.noise_clip;
  view_.tau = static_cast<float>(plan.tau);
  view_.loss_scale = plan.loss_scale;
  view_.target_entropy = plan.target_entropy;
  view_.row_floats = plan.row_floats();
  view_.x_stride = nn::padded(plan.obs + plan.actions);
  view_.heads_stride = heads_stride(plan);
  view_.da_stride = view_.noise_stride = nn::padded(plan.actions);
  reserve();
  memory_.place();
  plan_products(act_obs, act_heads);
  products_.upload(plan_.act_rows, view_.phase);
  upload(std::vector<float>{1.0F, -1.0F / static_cast<float>(plan_.batch)}, constants_);
  upload(std::vector<AgentView>{view_}, device_view_);
}

int Arrays::heads_stride(const AgentPlan& plan) {
  return nn::padded(plan.actor.nets.front().out());
}

void Arrays::reserve_net(const nn::Mlp& net, int rows, NetRows& to) {
  const std::int64_t n = rows;
  memory_.reserve(to.hidden1, n * nn::padded(net.layers()[0].out));
  memory_.reserve(to.hidden2, n * nn::padded(net.layers()[1].out));
}

void Arrays::reserve_trained(const NetsPlan& plan, TrainedView& to) {
  const auto size = static_cast<std::int64_t>(plan.layout.size());
  to.size = static_cast<std::int32_t>(size);
  for (float** array : {&to.values, &to.grads, &to.first, &to.second}) {
    memory_.reserve(*array, size);
  }
  if (plan.has_target) memory_.reserve(to.target, size);
  if (plan_.halves) memory_.reserve(to.largest_slope, 1);
}

void Arrays::reserve() {
  AgentView& v = view_;
  const std::int64_t rows = plan_.candidates, kept = plan_.batch, critics = v.critics;
  memory_.reserve(device_view_, 1);
  products_.reserve(memory_, kMostProducts);
  memory_.reserve(constants_, 2);
  memory_.reserve(v.replay, plan_.capacity * v.row_floats);
  for (float** array : {&v.x, &v.next_x}) memory_.reserve(*array, rows * v.x_stride);
  memory_.reserve(v.policy_x, kept * v.x_stride);
  for (float** array : {&v.reward, &v.discount, &v.entropy}) memory_.reserve(*array, rows);
  for (float** array : {&v.noise_next, &v.noise_policy}) {
    memory_.reserve(*array, rows * v.noise_stride);
  }
  memory_.reserve(v.heads, rows * v.heads_stride);
  memory_.reserve(v.slope_heads, kept * v.heads_stride);
  for (float** array : {&v.q, &v.q_target, &v.q_online, &v.y_online, &v.y_offline}) {
    memory_.reserve(*array, critics * rows);
  }
  for (float** array : {&v.slope_q, &v.policy_q}) memory_.reserve(*array, critics * kept);
  memory_.reserve(v.da, critics * kept * v.da_stride);
  for (float** array : {&v.deviation, &v.action, &v.slope}) {
    memory_.reserve(*array, kept * v.actions);
  }
  memory_.reserve(v.log_prob, kept);
  memory_.reserve(v.actor_loss, kept);
  memory_.reserve(v.kept, kept);
  memory_.reserve(v.stop, 1);
  memory_.reserve(v.bad, 2);
  reserve_trained(plan_.actor, v.actor);
  reserve_trained(plan_.critics, v.critic);
  const nn::Mlp& actor = plan_.actor.nets.front();
  reserve_net(actor, plan_.candidates, actor_);
  reserve_net(actor, plan_.act_rows, act_);
  for (int i = 0; i < view_.critics; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (NetRows& pass : critic_[at]) {
      reserve_net(plan_.critics.nets[at], plan_.candidates, pass);
    }
    reserve_net(plan_.critics.nets[at], plan_.batch, delta_[at]);
  }
}

void Arrays::set_given_noise(bool given) {
  view_.given_noise = given;
  upload(std::vector<AgentView>{view_}, device_view_);
}

}  // namespace tarl::fleet::actor_critic
