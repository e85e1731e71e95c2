// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/align/align.h"
#include "tarl/fleet/actor_critic/cuda/rows.cuh"

// What a block does for the whole of an update: targets, scores, the rows that are kept, and means.
// Sums are made by one thread each, in the order of rows, as train::Learner makes them.
namespace tarl::fleet::actor_critic {

struct SelectRoom {
  double score[kMaxCandidates], loss[kMaxCandidates];
  float target[kMaxCandidates];
  std::int32_t kept[kMaxCandidates];
  unsigned char is_kept[kMaxCandidates];
  unsigned scenario[align::kScenarioCount], bad_errors, bad_scores, terminals, all_terminals;
};

class Selection {
 public:
  __device__ Selection(const Place& place, SelectRoom& room)
      : item_(place.item), view_(place.view), room_(room) {}

  __device__ void run() {
    clear();
    __syncthreads();
    for (int row = me(); row < view_.candidates; row += kBlockThreads) judge(row);
    __syncthreads();
    for (int row = me(); row < view_.candidates; row += kBlockThreads) rank(row);
    __syncthreads();
    for (int row = me(); row < view_.candidates; row += kBlockThreads) place_kept(row);
    __syncthreads();
    for (int i = me(); i < view_.batch; i += kBlockThreads) regress(i);
    __syncthreads();
    report();
  }

 private:
  __device__ static int me() { return thread_of_block(); }

  __device__ void clear() {
    if (me() < align::kScenarioCount) room_.scenario[me()] = 0;
    if (me() != 0) return;
    room_.bad_errors = room_.bad_scores = room_.terminals = room_.all_terminals = 0;
    view_.bad[0] = view_.bad[1] = 0;
  }

  __device__ float smallest(const float* values, int row) const {
    float value = values[row];
    for (int i = 1; i < view_.critics; ++i) {
      value = agents::smaller_value(value, values[i * view_.candidates + row]);
    }
    return value;
  }

  // Targets and score of a candidate.
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
    if (!isfinite(error / static_cast<float>(view_.critics))) atomicAdd(&room_.bad_errors, 1U);
    if (view_.discount[row] == 0) atomicAdd(&room_.all_terminals, 1U);
    if (!view_.scores) return;
    const align::Scored scored =
        align::score_candidate(view_.critics, static_cast<std::size_t>(view_.candidates),
                               view_.q + row, view_.y_online + row, view_.y_offline + row);
    room_.score[row] = scored.score;
    atomicAdd(&room_.scenario[static_cast<int>(scored.scenario)], 1U);
    if (!scored.finite) atomicAdd(&room_.bad_scores, 1U);
  }

  // The order of align::keep_best.
  __device__ void rank(int row) {
    int before = 0;
    if (view_.candidates > view_.batch) {
      const double score = room_.score[row];
      for (int other = 0; other < view_.candidates; ++other) {
        const double theirs = room_.score[other];
        before += theirs > score || (theirs == score && other < row) ? 1 : 0;
      }
    }
    room_.is_kept[row] = before < view_.batch ? 1 : 0;
  }

  __device__ void place_kept(int row) {
    if (room_.is_kept[row] == 0) return;
    int at = 0;
    for (int other = 0; other < row; ++other) at += room_.is_kept[other];
    room_.kept[at] = row;
    view_.kept[at] = row;
    if (view_.discount[row] == 0) atomicAdd(&room_.terminals, 1U);
  }

  // The slope of a kept row's loss at each critic, where its value was.
  __device__ void regress(int i) {
    const int row = room_.kept[i];
    const auto slope = static_cast<float>(2 * view_.loss_scale / view_.batch);
    double loss = 0;
    for (int critic = 0; critic < view_.critics; ++critic) {
      const float error = view_.q[critic * view_.candidates + row] - room_.target[row];
      loss += view_.loss_scale * static_cast<double>(error) * static_cast<double>(error);
      view_.slope_q[critic * view_.batch + i] = slope * error;
    }
    room_.loss[i] = loss;
  }

  __device__ void report() {
    UpdateOutput& out = *item_.output;
    if (me() == 0) {
      double sum = 0;
      for (int i = 0; i < view_.batch; ++i) sum += room_.loss[i];
      const double loss = sum / static_cast<double>(view_.batch);
      out.critic_loss = loss;
      out.bad_errors = static_cast<int>(room_.bad_errors);
      out.bad_scores = static_cast<int>(room_.bad_scores);
      const bool bad = room_.bad_errors + room_.bad_scores > 0 || !isfinite(loss);
      *view_.stop = bad ? 1 : 0;
    }
    if (!view_.scores) return;
    if (me() == 32) {
      double sum = 0, least = 1;
      for (int i = 0; i < view_.batch; ++i) {
        const double score = room_.score[room_.kept[i]];
        sum += score;
        least = score < least ? score : least;
      }
      out.alignment = sum / static_cast<double>(view_.batch);
      out.least_alignment = least;
    }
    if (me() == 64) {
      double sum = 0, least = room_.score[0];
      for (int row = 0; row < view_.candidates; ++row) {
        sum += room_.score[row];
        least = room_.score[row] < least ? room_.score[row] : least;
      }
      out.alignment_of_all = sum / static_cast<double>(view_.candidates);
      out.least_alignment_of_all = least;
    }
    if (me() == 96) {
      for (int i = 0; i < align::kScenarioCount; ++i) {
        out.scenario[i] = static_cast<int>(room_.scenario[i]);
      }
      out.terminals = static_cast<int>(room_.terminals);
      out.terminals_of_all = static_cast<int>(room_.all_terminals);
    }
  }

  const Item& item_;
  const AgentView& view_;
  SelectRoom& room_;
};

__global__ void __launch_bounds__(kBlockThreads) select_rows(const Item* items) {
  Selection(Place::of(items, 1), *reinterpret_cast<SelectRoom*>(block_memory())).run();
}

// Losses of actor and temperature, once the actor's gradients are there.
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
