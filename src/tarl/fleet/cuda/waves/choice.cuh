// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/place.cuh"
#include "tarl/fleet/hosted/choice_figures.h"

namespace tarl::fleet {

struct ChoiceRoom {
  double score[kMostCandidates];
  std::int32_t kept[kMostCandidates];
  unsigned char is_kept[kMostCandidates];
  unsigned scenario[align::kScenarioCount], bad_errors, bad_scores, terminals, all_terminals;
};

// The rows that an update learns from, chosen by one block. Each sum is computed by one thread, in
// the order of rows, as in train::Learner.
class Choice {
 public:
  __device__ Choice(ChoiceRoom& room, int candidates, int batch, bool scores, const float* discount)
      : room_(room), candidates_(candidates), batch_(batch), scores_(scores), discount_(discount) {}

  // A barrier must follow.
  __device__ void clear() {
    if (me() < align::kScenarioCount) room_.scenario[me()] = 0;
    if (me() == 0) {
      room_.bad_errors = room_.bad_scores = room_.terminals = room_.all_terminals = 0;
    }
  }

  // Of one candidate, by one thread.
  __device__ void note_error(int row, float error) {
    if (!isfinite(error)) atomicAdd(&room_.bad_errors, 1U);
    if (discount_[row] == 0) atomicAdd(&room_.all_terminals, 1U);
  }

  __device__ void note_score(int row, const align::Scored& scored) {
    room_.score[row] = scored.score;
    atomicAdd(&room_.scenario[static_cast<int>(scored.scenario)], 1U);
    if (!scored.finite) atomicAdd(&room_.bad_scores, 1U);
  }

  // After all candidates are noted and a barrier. Ends with a barrier.
  __device__ void keep(std::int32_t* kept) {
    for (int row = me(); row < candidates_; row += kBlockThreads) rank(row);
    __syncthreads();
    for (int row = me(); row < candidates_; row += kBlockThreads) place_kept(row, kept);
    __syncthreads();
  }

  // Ascending.
  __device__ int kept(int i) const { return room_.kept[i]; }

  __device__ bool any_bad() const { return room_.bad_errors + room_.bad_scores > 0; }

  __device__ void report(ChoiceFigures& out) const {
    if (me() == 0) {
      out.bad_errors = static_cast<int>(room_.bad_errors);
      out.bad_scores = static_cast<int>(room_.bad_scores);
    }
    if (!scores_) return;
    if (me() == 32) report_kept(out);
    if (me() == 64) report_all(out);
    if (me() == 96) {
      for (int i = 0; i < align::kScenarioCount; ++i) {
        out.scenario[i] = static_cast<int>(room_.scenario[i]);
      }
      out.terminals = static_cast<int>(room_.terminals);
      out.terminals_of_all = static_cast<int>(room_.all_terminals);
    }
  }

 private:
  __device__ static int me() { return thread_of_block(); }

  // In the order of align::keep_best.
  __device__ void rank(int row) {
    int before = 0;
    if (candidates_ > batch_) {
      const double score = room_.score[row];
      for (int other = 0; other < candidates_; ++other) {
        const double theirs = room_.score[other];
        before += theirs > score || (theirs == score && other < row) ? 1 : 0;
      }
    }
    room_.is_kept[row] = before < batch_ ? 1 : 0;
  }

  __device__ void place_kept(int row, std::int32_t* kept) {
    if (room_.is_kept[row] == 0) return;
    int at = 0;
    for (int other = 0; other < row; ++other) at += room_.is_kept[other];
    room_.kept[at] = row;
    kept[at] = row;
    if (discount_[row] == 0) atomicAdd(&room_.terminals, 1U);
  }

  __device__ void report_kept(ChoiceFigures& out) const {
    double sum = 0, least = 1;
    for (int i = 0; i < batch_; ++i) {
      const double score = room_.score[room_.kept[i]];
      sum += score;
      least = score < least ? score : least;
    }
    out.alignment = sum / static_cast<double>(batch_);
    out.least_alignment = least;
  }

  __device__ void report_all(ChoiceFigures& out) const {
    double sum = 0, least = room_.score[0];
    for (int row = 0; row < candidates_; ++row) {
      sum += room_.score[row];
      least = room_.score[row] < least ? room_.score[row] : least;
    }
    out.alignment_of_all = sum / static_cast<double>(candidates_);
    out.least_alignment_of_all = least;
  }

  ChoiceRoom& room_;
  const int candidates_, batch_;
  const bool scores_;
  const float* discount_;
};

}  // namespace tarl::fleet
