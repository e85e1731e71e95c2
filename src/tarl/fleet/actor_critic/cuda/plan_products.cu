// SPDX-License-Identifier: MIT
//
// The products that an agent's updates are made of.
#include "tarl/fleet/actor_critic/cuda/arrays.cuh"

namespace tarl::fleet::actor_critic {

namespace {

const nn::Linear& linear(const nn::Mlp& net, int l) {
  return net.layers()[static_cast<std::size_t>(l)];
}

}  // namespace

Product Arrays::layer(const nn::Mlp& net, int l, const float* values, const float* x, int x_stride,
                      const NetRows& to, int rows) const {
  const nn::Linear& layer = linear(net, l);
  Product p;
  p.a = l == 0 ? x : l == 1 ? to.hidden1 : to.hidden2;
  p.a_row = l == 0 ? x_stride : nn::padded(layer.in);
  p.b = values + layer.weight;
  p.b_depth = layer.stride;
  p.bias = values + layer.bias;
  p.c = l == 0 ? to.hidden1 : l == 1 ? to.hidden2 : to.out;
  p.c_row = l < 2 ? nn::padded(layer.out) : to.out_stride;
  p.rows = rows;
  p.columns = layer.out;
  p.depth = layer.in;
  p.finish = l < 2 ? Finish::kRelu : Finish::kStore;
  p.dots = layer.out == 1;
  return p;
}

Product Arrays::backward(const nn::Linear& layer, const float* values, const float* dy,
                         int dy_stride, int first, int count, float* dx, int dx_stride) const {
  Product p;
  p.a = dy;
  p.a_row = dy_stride;
  p.b = values + layer.weight + static_cast<std::size_t>(first) * layer.stride;
  p.b_depth = 1;
  p.b_column = layer.stride;
  p.c = dx;
  p.c_row = dx_stride;
  p.rows = plan_.batch;
  p.columns = count;
  p.depth = layer.out;
  return p;
}

Product Arrays::gated(Product product, const float* gate, int gate_stride,
                      const std::int32_t* rows) const {
  product.finish = Finish::kGate;
  product.gate = gate;
  product.gate_row = gate_stride;
  product.gate_rows = rows;
  return product;
}

void Arrays::add_gradients(Phase phase, const nn::Linear& layer, const float* x, int x_stride,
                           const std::int32_t* rows, const float* dy, int dy_stride, float* grads,
                           std::int32_t* bad) {
  Product weights;
  weights.a = x;
  weights.a_row = 1;
  weights.a_depth = x_stride;
  weights.a_depths = rows;
  weights.b = dy;
  weights.b_depth = dy_stride;
  weights.c = grads + layer.weight;
  weights.c_row = layer.stride;
  weights.rows = layer.in;
  weights.columns = layer.out;
  weights.depth = plan_.batch;
  weights.bad = bad;
  Product biases = weights;
  biases.a = constants_;
  biases.a_row = biases.a_depth = 0;
  biases.a_depths = nullptr;
  biases.c = grads + layer.bias;
  biases.rows = 1;
  of(phase).push_back(weights);
  of(phase).push_back(biases);
}

void Arrays::plan_products(const float* act_obs, float* act_heads) {
  for (NetRows* rows : {&actor_, &act_}) rows->out_stride = view_.heads_stride;
  actor_.out = view_.heads;
  act_.out = act_heads;
  for (int i = 0; i < view_.critics; ++i) {
    const std::int64_t at = std::int64_t{i} * plan_.candidates;
    auto& passes = critic_[static_cast<std::size_t>(i)];
    passes[kOfBatch].out = view_.q + at;
    passes[kTargetNext].out = view_.q_target + at;
    passes[kOnlineNext].out = view_.q_online + at;
  }
  const nn::Mlp& actor = plan_.actor.nets.front();
  for (int l = 0; l < 3; ++l) {
    const auto phase = static_cast<Phase>(static_cast<int>(Phase::kAct1) + l);
    of(phase).push_back(layer(actor, l, view_.actor.values, act_obs, plan_.obs, act_, -1));
  }
  plan_assessment();
  plan_critics_step();
  plan_policy();
  plan_actor_step();
}

void Arrays::plan_assessment() {
  const nn::Mlp& actor = plan_.actor.nets.front();
  const float* decides = plan_.actor.has_target ? view_.actor.target : view_.actor.values;
  for (int l = 0; l < 3; ++l) {
    const auto next = static_cast<Phase>(static_cast<int>(Phase::kNext1) + l);
    of(next).push_back(
        layer(actor, l, decides, view_.next_x, view_.x_stride, actor_, plan_.candidates));
    const auto phase = static_cast<Phase>(static_cast<int>(Phase::kCritic1) + l);
    for (std::size_t i = 0; i < critic_.size(); ++i) {
      const auto add = [&](const float* values, const float* x, Pass pass) {
        of(phase).push_back(layer(plan_.critics.nets[i], l, values, x, view_.x_stride,
                                  critic_[i][pass], plan_.candidates));
      };
      add(view_.critic.values, view_.x, kOfBatch);
      add(view_.critic.target, view_.next_x, kTargetNext);
      if (plan_.scores) add(view_.critic.values, view_.next_x, kOnlineNext);
    }
  }
}

// The critics' gradients from slope_q; beside them the actor's outputs at kept observations.
void Arrays::plan_critics_step() {
  for (std::size_t i = 0; i < critic_.size(); ++i) {
    const nn::Mlp& net = plan_.critics.nets[i];
    const nn::Linear &l1 = linear(net, 0), &l2 = linear(net, 1), &l3 = linear(net, 2);
    const NetRows &made = critic_[i][kOfBatch], &delta = delta_[i];
    const int s1 = nn::padded(l1.out), s2 = nn::padded(l2.out);
    const float* slope = view_.slope_q + static_cast<std::int64_t>(i) * plan_.batch;
    const float* values = view_.critic.values;
    of(Phase::kBackTop)
        .push_back(gated(backward(l3, values, slope, 1, 0, l3.in, delta.hidden2, s2), made.hidden2,
                         s2, view_.kept));
    of(Phase::kBackHidden)
        .push_back(gated(backward(l2, values, delta.hidden2, s2, 0, l2.in, delta.hidden1, s1),
                         made.hidden1, s1, view_.kept));
    float* grads = view_.critic.grads;
    add_gradients(Phase::kBackWeights, l3, made.hidden2, s2, view_.kept, slope, 1, grads,
                  view_.bad);
    add_gradients(Phase::kBackWeights, l2, made.hidden1, s1, view_.kept, delta.hidden2, s2, grads,
                  view_.bad);
    add_gradients(Phase::kBackWeights, l1, view_.x, view_.x_stride, view_.kept, delta.hidden1, s1,
                  grads, view_.bad);
  }
  for (int l = 0; l < 3; ++l) {
    Product p = layer(plan_.actor.nets.front(), l, view_.actor.values, view_.x, view_.x_stride,
                      actor_, plan_.batch);
    p.a_rows = l == 0 ? view_.kept : nullptr;
    p.actor = true;
    of(static_cast<Phase>(static_cast<int>(Phase::kBackTop) + l)).push_back(p);
  }
}

// What the critics ask of the actor's actions; TD3 asks the first one alone.
void Arrays::plan_policy() {
  const std::size_t asked = plan_.sac ? critic_.size() : 1;
  for (std::size_t i = 0; i < asked; ++i) {
    const nn::Mlp& net = plan_.critics.nets[i];
    const nn::Linear &l1 = linear(net, 0), &l2 = linear(net, 1), &l3 = linear(net, 2);
    const int s1 = nn::padded(l1.out), s2 = nn::padded(l2.out);
    const auto at = static_cast<std::int64_t>(i) * plan_.batch;
    const NetRows& delta = delta_[i];
    NetRows made = critic_[i][kTargetNext];
    made.out = view_.policy_q + at;
    const float* values = view_.critic.values;
    const auto add = [&](Phase phase, Product p) {
      p.actor = true;
      of(phase).push_back(p);
    };
    for (int l = 0; l < 3; ++l) {
      add(static_cast<Phase>(static_cast<int>(Phase::kPolicy1) + l),
          layer(net, l, values, view_.policy_x, view_.x_stride, made, plan_.batch));
    }
    Product top = backward(l3, values, constants_ + 1, 0, 0, l3.in, delta.hidden2, s2);
    top.a_depth = 0;
    add(Phase::kPolicyValues, gated(top, made.hidden2, s2, nullptr));
    add(Phase::kSlopeHidden,
        gated(backward(l2, values, delta.hidden2, s2, 0, l2.in, delta.hidden1, s1), made.hidden1,
              s1, nullptr));
    add(Phase::kSlopeAction, backward(l1, values, delta.hidden1, s1, plan_.obs, plan_.actions,
                                      view_.da + at * view_.da_stride, view_.da_stride));
  }
}

void Arrays::plan_actor_step() {
  const nn::Mlp& net = plan_.actor.nets.front();
  const nn::Linear &l1 = linear(net, 0), &l2 = linear(net, 1), &l3 = linear(net, 2);
  const int s1 = nn::padded(l1.out), s2 = nn::padded(l2.out), s3 = view_.heads_stride;
  const NetRows& delta = delta_.front();
  const float* values = view_.actor.values;
  of(Phase::kActorBack2)
      .push_back(gated(backward(l3, values, view_.slope_heads, s3, 0, l3.in, delta.hidden2, s2),
                       actor_.hidden2, s2, nullptr));
  of(Phase::kActorBack1)
      .push_back(gated(backward(l2, values, delta.hidden2, s2, 0, l2.in, delta.hidden1, s1),
                       actor_.hidden1, s1, nullptr));
  float* grads = view_.actor.grads;
  std::int32_t* bad = view_.bad + 1;
  const Phase phase = Phase::kActorWeights;
  add_gradients(phase, l3, actor_.hidden2, s2, nullptr, view_.slope_heads, s3, grads, bad);
  add_gradients(phase, l2, actor_.hidden1, s1, nullptr, delta.hidden2, s2, grads, bad);
  add_gradients(phase, l1, view_.x, view_.x_stride, view_.kept, delta.hidden1, s1, grads, bad);
  for (const Phase of_actor : {Phase::kActorBack2, Phase::kActorBack1, Phase::kActorWeights}) {
    for (Product& product : of(of_actor)) product.actor = true;
  }
}

}  // namespace tarl::fleet::actor_critic
