// SPDX-License-Identifier: MIT
//
// The products of an agent's updates.
#include "tarl/fleet/actor_critic/cuda/arrays.cuh"

namespace tarl::fleet::actor_critic {

namespace {

const nn::Linear& linear(const nn::Mlp& net, int l) {
  return net.layers()[static_cast<std::size_t>(l)];
}

}  // namespace

Product Arrays::of_layer(int l, const Product& product, Slopes slopes, const float* largest) const {
  return plan_.halves && l < kHiddenLayers ? on_tensor_cores(product, slopes, largest) : product;
}

Product Arrays::layer(const nn::Mlp& net, int l, const float* values, const Matrix& x,
                      const NetRows& to, int rows) const {
  const nn::Linear& layer = linear(net, l);
  const Matrix in = l == 0 ? x : Matrix{l == 1 ? to.hidden1 : to.hidden2, nn::padded(layer.in)};
  float* const out = l == 0 ? to.hidden1 : l == 1 ? to.hidden2 : to.out;
  const Product p = forward_product(layer, values, in, rows, l < kHiddenLayers, out,
                                    l < kHiddenLayers ? nn::padded(layer.out) : to.out_stride);
  return of_layer(l, p, Slopes::kNone, nullptr);
}

Product Arrays::backward(const nn::Mlp& net, int l, const float* values, const Matrix& dy,
                         float* dx, int dx_stride, const float* largest) const {
  const nn::Linear& layer = linear(net, l);
  const Product p = input_gradient(layer, values, dy, plan_.batch, 0, layer.in, dx, dx_stride);
  return of_layer(l, p, Slopes::kOfA, largest);
}

void Arrays::add_gradients(Phase phase, const nn::Mlp& net, int l, const Matrix& x,
                           const Matrix& dy, const TrainedView& trained, std::int32_t* bad) {
  const LayerGradients gradients =
      layer_gradients(linear(net, l), x, dy, plan_.batch, constants_, trained.grads, bad);
  of(phase).push_back(of_layer(l, gradients.weights, Slopes::kOfB, trained.largest_slope));
  of(phase).push_back(gradients.biases);
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
    of(phase).push_back(layer(actor, l, view_.actor.values, {act_obs, plan_.obs}, act_, -1));
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
        layer(actor, l, decides, {view_.next_x, view_.x_stride}, actor_, plan_.candidates));
    const auto phase = static_cast<Phase>(static_cast<int>(Phase::kCritic1) + l);
    for (std::size_t i = 0; i < critic_.size(); ++i) {
      const auto add = [&](const float* values, const float* x, Pass pass) {
        of(phase).push_back(layer(plan_.critics.nets[i], l, values, {x, view_.x_stride},
                                  critic_[i][pass], plan_.candidates));
      };
      add(view_.critic.values, view_.x, kOfBatch);
      add(view_.critic.target, view_.next_x, kTargetNext);
      if (plan_.scores) add(view_.critic.values, view_.next_x, kOnlineNext);
    }
  }
}

// The critics' gradients from slope_q; in the same phases, the actor's outputs at kept
// observations.
void Arrays::plan_critics_step() {
  for (std::size_t i = 0; i < critic_.size(); ++i) {
    const nn::Mlp& net = plan_.critics.nets[i];
    const NetRows &made = critic_[i][kOfBatch], &delta = delta_[i];
    const int s1 = nn::padded(linear(net, 0).out), s2 = nn::padded(linear(net, 1).out);
    const float* slope = view_.slope_q + static_cast<std::int64_t>(i) * plan_.batch;
    const TrainedView& critic = view_.critic;
    const auto back = [&](int l, const Matrix& dy, float* dx, int stride) {
      return backward(net, l, critic.values, dy, dx, stride, critic.largest_slope);
    };
    of(Phase::kBackTop)
        .push_back(gated(back(2, {slope, 1}, delta.hidden2, s2), {made.hidden2, s2, view_.kept}));
    of(Phase::kBackHidden)
        .push_back(
            gated(back(1, {delta.hidden2, s2}, delta.hidden1, s1), {made.hidden1, s1, view_.kept}));
    const auto add = [&](int l, const Matrix& x, const Matrix& dy) {
      add_gradients(Phase::kBackWeights, net, l, x, dy, critic, view_.bad);
    };
    add(2, {made.hidden2, s2, view_.kept}, {slope, 1});
    add(1, {made.hidden1, s1, view_.kept}, {delta.hidden2, s2});
    add(0, {view_.x, view_.x_stride, view_.kept}, {delta.hidden1, s1});
  }
  for (int l = 0; l < 3; ++l) {
    Product p = layer(plan_.actor.nets.front(), l, view_.actor.values,
                      {view_.x, view_.x_stride, view_.kept}, actor_, plan_.batch);
    p.optional = true;
    of(static_cast<Phase>(static_cast<int>(Phase::kBackTop) + l)).push_back(p);
  }
}

// The gradient of the critics' values at the actor's actions; TD3 uses the first critic only.
void Arrays::plan_policy() {
  const std::size_t asked = plan_.sac ? critic_.size() : 1;
  for (std::size_t i = 0; i < asked; ++i) {
    const nn::Mlp& net = plan_.critics.nets[i];
    const int s1 = nn::padded(linear(net, 0).out), s2 = nn::padded(linear(net, 1).out);
    const auto at = static_cast<std::int64_t>(i) * plan_.batch;
    const NetRows& delta = delta_[i];
    NetRows made = critic_[i][kTargetNext];
    made.out = view_.policy_q + at;
    const float* values = view_.critic.values;
    const auto add = [&](Phase phase, Product p) {
      p.optional = true;
      of(phase).push_back(p);
    };
    for (int l = 0; l < 3; ++l) {
      add(static_cast<Phase>(static_cast<int>(Phase::kPolicy1) + l),
          layer(net, l, values, {view_.policy_x, view_.x_stride}, made, plan_.batch));
    }
    const float* slope = constants_ + 1;
    Product top = backward(net, 2, values, {slope, 0}, delta.hidden2, s2, slope);
    top.a_depth = 0;
    add(Phase::kPolicyValues, gated(top, {made.hidden2, s2}));
    add(Phase::kSlopeHidden,
        gated(backward(net, 1, values, {delta.hidden2, s2}, delta.hidden1, s1, slope),
              {made.hidden1, s1}));
    const Product da =
        input_gradient(linear(net, 0), values, {delta.hidden1, s1}, plan_.batch, plan_.obs,
                       plan_.actions, view_.da + at * view_.da_stride, view_.da_stride);
    add(Phase::kSlopeAction, of_layer(0, da, Slopes::kOfA, slope));
  }
}

void Arrays::plan_actor_step() {
  const nn::Mlp& net = plan_.actor.nets.front();
  const int s1 = nn::padded(linear(net, 0).out), s2 = nn::padded(linear(net, 1).out);
  const Matrix heads{view_.slope_heads, view_.heads_stride};
  const NetRows& delta = delta_.front();
  const TrainedView& actor = view_.actor;
  const auto back = [&](int l, const Matrix& dy, float* dx, int stride) {
    return backward(net, l, actor.values, dy, dx, stride, actor.largest_slope);
  };
  of(Phase::kActorBack2).push_back(gated(back(2, heads, delta.hidden2, s2), {actor_.hidden2, s2}));
  of(Phase::kActorBack1)
      .push_back(gated(back(1, {delta.hidden2, s2}, delta.hidden1, s1), {actor_.hidden1, s1}));
  const auto add = [&](int l, const Matrix& x, const Matrix& dy) {
    add_gradients(Phase::kActorWeights, net, l, x, dy, actor, view_.bad + 1);
  };
  add(2, {actor_.hidden2, s2}, heads);
  add(1, {actor_.hidden1, s1}, {delta.hidden2, s2});
  add(0, {view_.x, view_.x_stride, view_.kept}, {delta.hidden1, s1});
  for (const Phase of_actor : {Phase::kActorBack2, Phase::kActorBack1, Phase::kActorWeights}) {
    for (Product& product : of(of_actor)) product.optional = true;
  }
}

}  // namespace tarl::fleet::actor_critic
