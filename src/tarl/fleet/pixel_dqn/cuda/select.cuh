// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/dueling.h"
#include "tarl/agents/td_target.h"
#include "tarl/fleet/cuda/waves/selection.cuh"
#include "tarl/fleet/cuda/waves/slopes.cuh"
#include "tarl/fleet/pixel_dqn/cuda/frames.cuh"

// One block computes action values, targets, scores, kept rows, their losses and slopes of an
// update.
namespace tarl::fleet::pixel_dqn {

struct SelectRoom {
  ChoiceRoom choice;
  double loss[kMostCandidates], q[kMostCandidates];
};

class Selection : public BlockSelection<Selection, Item, SelectRoom> {
 public:
  using BlockSelection::BlockSelection;

  __device__ void begin() {
    if (me() == 0) clear_slope(view_.largest_slope);
    for (int row = me(); row < view_.online_rows; row += kBlockThreads) {
      combine(view_.z, row, view_.q);
    }
    for (int row = me(); row < view_.candidates; row += kBlockThreads) {
      combine(view_.z_target, row, view_.q_target);
    }
  }

  // As DqnAgent::fill_targets().
  __device__ void judge(int row) {
    const float* online = view_.q + (view_.candidates + row) * view_.actions;
    const float* target = view_.q_target + row * view_.actions;
    const auto y = [&](float value) {
      return agents::td_target(view_.reward[row], view_.discount[row], value);
    };
    const int next = agents::greedy_action(view_.double_q ? online : target, view_.actions);
    const float q = value_of(row);
    view_.y_offline[row] = y(target[next]);
    choice_.note_error(row, fabsf(view_.y_offline[row] - q));
    if (!view_.scores) return;
    view_.y_online[row] = y(online[agents::greedy_action(online, view_.actions)]);
    choice_.note_score(
        row, align::score_candidate(1, 1, &q, view_.y_online + row, view_.y_offline + row));
  }

  // As DqnAgent::loss_rows(), with weights of 1.
  __device__ void regress(int i) {
    const int row = choice_.kept(i);
    const float q = value_of(row), error = q - view_.y_offline[row];
    room_.loss[i] = nn::loss_value(view_.loss, static_cast<double>(error));
    room_.q[i] = static_cast<double>(q);
    float* dq = (view_.dueling ? view_.dq : view_.dz) +
                i * (view_.dueling ? view_.actions : view_.z_stride);
    for (int a = 0; a < view_.actions; ++a) dq[a] = 0;
    const float slope = nn::loss_slope(view_.loss, error) / static_cast<float>(view_.batch);
    note_slope(slope, view_.largest_slope);
    dq[view_.action[row]] = slope;
    if (view_.dueling) {
      agents::split_dueling(dq, view_.actions, view_.dz + i * view_.z_stride);
    }
  }

  __device__ void report() {
    UpdateOutput& out = *item_.output;
    choice_.report(out.choice);
    if (me() == 0) {
      out.loss = mean(room_.loss);
      *view_.stop = choice_.any_bad() ? 1 : 0;
    }
    if (me() == 128) out.q_mean = mean(room_.q);
  }

 private:
  __device__ void combine(const float* z, int row, float* q) const {
    const float* from = z + row * view_.z_stride;
    float* to = q + row * view_.actions;
    if (view_.dueling) {
      agents::combine_dueling(from, view_.actions, to);
      return;
    }
    for (int a = 0; a < view_.actions; ++a) to[a] = from[a];
  }

  __device__ float value_of(int row) const {
    return view_.q[row * view_.actions + view_.action[row]];
  }
};

__global__ void __launch_bounds__(kBlockThreads) select_rows(const Item* items) {
  Selection(Place::of(items, 1), *reinterpret_cast<SelectRoom*>(block_memory())).run();
}

// Where kept rows are in the maps of all rows.
__global__ void __launch_bounds__(kBlockThreads) list_kept(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  each_number(place, kept_numbers(view), [&](int at) {
    int table = 0;
    while (at >= view.batch * view.kept_pixels[table].count) {
      at -= view.batch * view.kept_pixels[table].count;
      ++table;
    }
    const KeptPixels& of = view.kept_pixels[table];
    of.out[at] = view.kept[at / of.count] * of.pixels + of.place[at % of.count];
  });
}

}  // namespace tarl::fleet::pixel_dqn
