// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/actor_critic/cuda/products.cuh"
#include "tarl/fleet/cuda/optimizer_math.cuh"

// Steps of Adam, and of the targets.
namespace tarl::fleet::actor_critic {

inline constexpr int kParametersOfThread = 4;
inline constexpr int kParametersOfBlock = kParametersOfThread * kBlockThreads;

__device__ inline void adam_step(const OptimizerPlan& plan, const nn::AdamSizes& sizes,
                                 const TrainedView& trained, int at) {
  Trained w{trained.values[at], trained.first[at], trained.second[at]};
  ExactMath exact;
  adam(plan, sizes, trained.grads[at], w, exact);
  trained.values[at] = w.value, trained.first[at] = w.first, trained.second[at] = w.second;
}

// As nn::mix_into().
__device__ inline void move_target(const TrainedView& trained, float tau, int at) {
  const float online = trained.values[at], old = trained.target[at];
  trained.target[at] = tau == 1.0F ? online : fmaf(tau, online - old, old);
}

template <class Each>
__device__ void each_parameter(const Place& place, int size, Each each) {
#pragma unroll
  for (int i = 0; i < kParametersOfThread; ++i) {
    const int at = place.block * kParametersOfBlock + i * kBlockThreads + thread_of_block();
    if (at < size) each(at);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    step_critics(const Item* items, int blocks_each, const __grid_constant__ OptimizerPlan plan) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0) return;
  if (view.bad[0] != 0) return;
  each_parameter(place, view.critic.size,
                 [&](int at) { adam_step(plan, place.item.critics, view.critic, at); });
}

// The actor, and then all targets.
__global__ void __launch_bounds__(kBlockThreads)
    step_actor(const Item* items, int blocks_each, const __grid_constant__ OptimizerPlan plan) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0 || view.bad[0] != 0 || view.bad[1] != 0) return;
  const bool moves = place.item.moves_targets;
  each_parameter(place, view.actor.size, [&](int at) {
    if (place.item.actor_due) adam_step(plan, place.item.actor, view.actor, at);
    if (moves && view.actor.target != nullptr) move_target(view.actor, view.tau, at);
  });
  if (!moves) return;
  each_parameter(place, view.critic.size, [&](int at) { move_target(view.critic, view.tau, at); });
}

}  // namespace tarl::fleet::actor_critic
