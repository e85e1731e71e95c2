// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/actor_critic/cuda/view.cuh"
#include "tarl/fleet/cuda/optimizer_math.cuh"
#include "tarl/fleet/cuda/waves/place.cuh"
#include "tarl/fleet/cuda/waves/target.cuh"

// Steps of Adam and of the targets.
namespace tarl::fleet::actor_critic {

__device__ inline void adam_step(const OptimizerPlan& plan, const nn::AdamSizes& sizes,
                                 const TrainedView& trained, int at) {
  Trained w{trained.values[at], trained.first[at], trained.second[at]};
  ExactMath exact;
  adam(plan, sizes, trained.grads[at], w, exact);
  trained.values[at] = w.value, trained.first[at] = w.first, trained.second[at] = w.second;
}

__device__ inline void move_target(const TrainedView& trained, float tau, int at) {
  trained.target[at] = mixed(tau, trained.values[at], trained.target[at]);
}

__global__ void __launch_bounds__(kBlockThreads)
    step_critics(const Item* items, int blocks_each, const __grid_constant__ OptimizerPlan plan) {
  const auto place = PlaceOf<Item>::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0) return;
  if (view.bad[0] != 0) return;
  each_number(place, view.critic.size,
              [&](int at) { adam_step(plan, place.item.critics, view.critic, at); });
}

// The actor, then all targets.
__global__ void __launch_bounds__(kBlockThreads)
    step_actor(const Item* items, int blocks_each, const __grid_constant__ OptimizerPlan plan) {
  const auto place = PlaceOf<Item>::of(items, blocks_each);
  const AgentView& view = place.view;
  if (*view.stop != 0 || view.bad[0] != 0 || view.bad[1] != 0) return;
  const bool moves = place.item.moves_targets;
  each_number(place, view.actor.size, [&](int at) {
    if (place.item.actor_due) adam_step(plan, place.item.actor, view.actor, at);
    if (moves && view.actor.target != nullptr) move_target(view.actor, view.tau, at);
  });
  if (!moves) return;
  each_number(place, view.critic.size, [&](int at) { move_target(view.critic, view.tau, at); });
}

}  // namespace tarl::fleet::actor_critic
