// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/actor_critic/cuda/rows.cuh"
#include "tarl/fleet/cuda/waves/selection.cuh"

// One block computes targets, scores, kept rows and means of an update.
namespace tarl::fleet::actor_critic {

struct SelectRoom {
  ChoiceRoom choice;
  double loss[kMostCandidates];
  float target[kMostCandidates];
};

class Selection : public BlockSelection<Selection, Item, SelectRoom> {
 public:
  using BlockSelection::BlockSelection;

  __device__ void begin() {
    if (me() == 0) {
      view_.bad[0] = view_.bad[1] = 0;
      clear_slope(view_.critic.largest_slope);
      clear_slope(view_.actor.largest_slope);
    }
  }

  // The targets and score of a candidate.
  __device__ void judge(int row) {
    const auto y = [&](float value) {
      return agents::td_target(view_.reward[row], view_.discount[row], value - view_.entropy[row]);
    };
    const float target = y(smallest(view_.q_target, row));
    const float online = view_.scores && view_.clipped ? y(smallest(view_.q_online, row)) : 0.0F;
    float error = 0;
    for (int i = 0; i < view_.critics; ++i) {
      const int at = i * view_.candidates + row;
      view_.y_offline[at] = view_.clipped ? target : y(view_.q_target[at]);
      if (view_.scores) view_.y_online[at] = view_.clipped ? online : y(view_.q_online[at]);
      error += fabsf(target - view_.q[at]);
    }
    room_.target[row] = target;
    choice_.note_error(row, error / static_cast<float>(view_.critics));
    if (!view_.scores) return;
    choice_.note_score(
        row, align::score_candidate(view_.critics, static_cast<std::size_t>(view_.candidates),
                                    view_.q + row, view_.y_online + row, view_.y_offline + row));
  }

  // The slopes of a kept row's loss in the critics' values.
  __device__ void regress(int i) {
    const int row = choice_.kept(i);
    const auto slope = static_cast<float>(2 * view_.loss_scale / view_.batch);
    double loss = 0;
    for (int critic = 0; critic < view_.critics; ++critic) {
      const float error = view_.q[critic * view_.candidates + row] - room_.target[row];
      loss += view_.loss_scale * static_cast<double>(error) * static_cast<double>(error);
      view_.slope_q[critic * view_.batch + i] = slope * error;
      note_slope(slope * error, view_.critic.largest_slope);
    }
    room_.loss[i] = loss;
  }

  __device__ void report() {
    UpdateOutput& out = *item_.output;
    choice_.report(out.choice);
    if (me() != 0) return;
    const double loss = mean(room_.loss);
    out.critic_loss = loss;
    *view_.stop = choice_.any_bad() || !isfinite(loss) ? 1 : 0;
  }

 private:
  __device__ float smallest(const float* values, int row) const {
    float value = values[row];
    for (int i = 1; i < view_.critics; ++i) {
      value = agents::smaller_value(value, values[i * view_.candidates + row]);
    }
    return value;
  }
};

__global__ void __launch_bounds__(kBlockThreads) select_rows(const Item* items) {
  Selection(Place::of(items, 1), *reinterpret_cast<SelectRoom*>(block_memory())).run();
}

// The losses of actor and temperature, after the actor's gradients.
__global__ void __launch_bounds__(kBlockThreads) finish_actor(const Item* items) {
  const Place place = Place::of(items, 1);
  const AgentView& view = place.view;
  UpdateOutput& out = *place.item.output;
  const int me = thread_of_block();
  if (me == 0) {
    out.bad_critics = view.bad[0];
    out.bad_actor = view.bad[1];
  }
  if (*view.stop != 0 || !place.item.actor_due) return;
  if (me == 0) {
    double sum = 0;
    for (int i = 0; i < view.batch; ++i) sum += view.actor_loss[i];
    const double loss = sum / static_cast<double>(view.batch);
    out.actor_loss = loss;
    if (!isfinite(loss)) view.bad[1] = 1;
  }
  if (!view.sac) return;
  const auto gap = [&](int i) {
    return static_cast<double>(view.log_prob[i]) + view.target_entropy;
  };
  if (me == 32) {
    double sum = 0;
    for (int i = 0; i < view.batch; ++i) sum += gap(i);
    out.entropy_gap = sum;
  }
  if (me == 64) {
    double sum = 0;
    for (int i = 0; i < view.batch; ++i) sum += -place.item.log_alpha * gap(i);
    out.temperature_loss = sum / static_cast<double>(view.batch);
  }
}

}  // namespace tarl::fleet::actor_critic
