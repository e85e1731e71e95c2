// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/actor_critic/noise.h"
#include "tarl/agents/policy_math.h"
#include "tarl/agents/td_target.h"
#include "tarl/fleet/actor_critic/cuda/view.cuh"
#include "tarl/fleet/cuda/waves/place.cuh"
#include "tarl/fleet/cuda/waves/slopes.cuh"

// Work by rows, one warp each: gathering drawn transitions, the policy, the policy's gradient.
namespace tarl::fleet::actor_critic {

using Place = PlaceOf<Item>;

__device__ inline void copy_row(const float* from, int count, float* to) {
  for (int k = lane_of_warp(); k < count; k += 32) to[k] = from[k];
}

// Stores what the host has sent since the last update.
__global__ void __launch_bounds__(kBlockThreads) store_rows(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int row = row_of_warp(place);
  if (row >= place.item.staged) return;
  copy_row(place.item.staged_rows + static_cast<long>(row) * view.row_floats, view.row_floats,
           view.replay + std::int64_t{place.item.staged_slots[row]} * view.row_floats);
}

// Row `row` of the noise that agents::actor_critic::NormalRows gives for a stream.
__device__ inline void draw_noise(const AgentView& view, Rng from, int row, float* to) {
  const int blocks = agents::actor_critic::noise_blocks(view.actions), block = lane_of_warp();
  if (block >= blocks) return;
  const auto at = static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(blocks);
  const PhiloxBlock words = philox(from.key, from.counter + at + static_cast<std::uint64_t>(block));
  float* out = to + row * view.noise_stride + block * agents::actor_critic::kNormalsPerBlock;
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const float radius = sqrtf(agents::actor_critic::squared_radius(words.word[2 * pair]));
    const nn::SineCosine angle = nn::sine_cosine_of_turn(words.word[2 * pair + 1]);
    out[2 * pair] = radius * angle.cosine;
    out[2 * pair + 1] = radius * angle.sine;
  }
}

__global__ void __launch_bounds__(kBlockThreads) gather_rows(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int row = row_of_warp(place);
  if (row >= view.candidates) return;
  const float* from = view.replay + std::int64_t{place.item.slots[row]} * view.row_floats;
  const int width = view.obs + view.actions;
  copy_row(from, width, view.x + row * view.x_stride);
  copy_row(from + width, view.obs, view.next_x + row * view.x_stride);
  if (lane_of_warp() == 0) {
    view.reward[row] = from[width + view.obs];
    view.discount[row] = from[width + view.obs + 1];
  }
  if (view.given_noise) return;
  draw_noise(view, place.item.noise, row, view.noise_next);
  if (!view.sac) return;
  Rng later = place.item.noise;
  later.counter += static_cast<std::uint64_t>(view.candidates) *
                   static_cast<std::uint64_t>(agents::actor_critic::noise_blocks(view.actions));
  draw_noise(view, later, row, view.noise_policy);
}

// The numbers of the first `count` lanes, added one by one to zero.
__device__ inline float chain_of_lanes(float mine, int count) {
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += __shfl_sync(0xFFFFFFFFU, mine, k);
  return sum;
}

// a' of every candidate, and alpha log pi(a').
__global__ void __launch_bounds__(kBlockThreads) choose_next(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int row = row_of_warp(place), k = lane_of_warp();
  if (row >= view.candidates) return;
  const float* heads = view.heads + row * view.heads_stride;
  float* action = view.next_x + row * view.x_stride + view.obs;
  const bool mine = k < view.actions;
  const float eps = mine ? view.noise_next[row * view.noise_stride + k] : 0.0F;
  if (!view.sac) {
    if (mine) {
      action[k] = agents::smoothed_action(heads[k], view.noise_scale, view.noise_clip, eps);
    }
    if (k == 0) view.entropy[row] = 0;
    return;
  }
  float log_prob = 0;
  if (mine) {
    const auto sample = agents::squashed_sample(heads[k], heads[view.actions + k], eps);
    action[k] = sample.action;
    log_prob = sample.log_prob;
  }
  const float sum = chain_of_lanes(log_prob, view.actions);
  if (k == 0) view.entropy[row] = place.item.alpha * sum;
}

// The policy's actions at kept observations.
__global__ void __launch_bounds__(kBlockThreads) choose_policy(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int i = row_of_warp(place), k = lane_of_warp();
  if (i >= view.batch || *view.stop != 0 || !place.item.actor_due) return;
  const int row = view.kept[i];
  float* x = view.policy_x + i * view.x_stride;
  copy_row(view.x + row * view.x_stride, view.obs, x);
  const float* heads = view.heads + i * view.heads_stride;
  const int at = i * view.actions + k;
  float log_prob = 0;
  if (k < view.actions) {
    agents::SquashedSample sample{};
    if (view.sac) {
      sample = agents::squashed_sample(heads[k], heads[view.actions + k],
                                       view.noise_policy[row * view.noise_stride + k]);
    } else {
      const nn::Tanh action = nn::tanh_of(heads[k]);
      sample = {0, action.value, action.slope, 0};
    }
    x[view.obs + k] = sample.action;
    view.deviation[at] = sample.deviation;
    view.action[at] = sample.action;
    view.slope[at] = sample.slope;
    log_prob = sample.log_prob;
  }
  if (!view.sac) return;
  const float sum = chain_of_lanes(log_prob, view.actions);
  if (k == 0) view.log_prob[i] = sum;
}

// The gradient at the actor's outputs, through the critic with the smallest value (SAC) or the
// first one (TD3).
__global__ void __launch_bounds__(kBlockThreads) policy_slopes(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int i = row_of_warp(place), k = lane_of_warp();
  if (i >= view.batch || *view.stop != 0 || !place.item.actor_due) return;
  int critic = 0;
  float value = view.policy_q[i];
  for (int other = 1; view.sac && other < view.critics; ++other) {
    const float candidate = view.policy_q[other * view.batch + i];
    if (!(candidate < value || candidate != candidate)) continue;
    critic = other;
    value = candidate;
  }
  const float* da = view.da + (critic * view.batch + i) * view.da_stride;
  const float* heads = view.heads + i * view.heads_stride;
  float* out = view.slope_heads + i * view.heads_stride;
  const int at = i * view.actions + k;
  const float weight = place.item.alpha / static_cast<float>(view.batch);
  float largest = 0;
  if (k < view.actions && view.sac) {
    const agents::SquashedSample sample{view.deviation[at], view.action[at], view.slope[at], 0};
    const float eps = view.noise_policy[view.kept[i] * view.noise_stride + k];
    const auto slopes =
        agents::squashed_slopes(sample, heads[view.actions + k], eps, da[k], weight);
    out[k] = slopes.mu;
    out[view.actions + k] = slopes.log_std;
    largest = fmaxf(fabsf(slopes.mu), fabsf(slopes.log_std));
  } else if (k < view.actions) {
    out[k] = da[k] * view.slope[at];
    largest = fabsf(out[k]);
  }
  note_slopes(largest, view.actor.largest_slope);
  if (k != 0) return;
  const double entropy =
      view.sac ? static_cast<double>(place.item.alpha) * static_cast<double>(view.log_prob[i])
               : 0.0;
  view.actor_loss[i] =
      view.sac ? entropy - static_cast<double>(value) : -static_cast<double>(value);
}

}  // namespace tarl::fleet::actor_critic
