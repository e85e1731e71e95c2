// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/align/score.h"
#include "tarl/align/terminals.h"
#include "tarl/fleet/cuda/block.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"

// The scores that rows are chosen by: the paper's, or its replacement as in train::Scorer.
namespace tarl::fleet {

// A candidate's errors.
struct RowErrors {
  double online, offline;

  __device__ static RowErrors of(const Shared& s, int row) {
    const double q = s.q[row];
    return {static_cast<double>(s.y_online[row]) - q, static_cast<double>(s.y_offline[row]) - q};
  }
};

// Whether a candidate's target is its reward alone. Requires scores.
__device__ inline bool is_terminal(const Shared& s, int row) {
  return (s.terminals[row / 32] >> (row % 32) & 1U) != 0;
}

// Whether a control score or a terminal rule replaces the paper's score.
__device__ inline bool replaces_scores(const AgentSpec& spec) {
  return spec.score != align::ScoreKind::kPaper || spec.terminals != align::Terminals::kScore;
}

// Computes the scores; returns the number of candidates with a non-finite error. Each thread
// handles at most one row.
static __device__ __noinline__ int score_candidates(const AgentSpec& spec, Shared& s) {
  static_assert(kMaxCandidates <= kThreads);
  const int row = thread_id();
  const bool mine = row < spec.candidates;
  const bool scored = spec.needs_scores != 0;  // without scores there is no online error
  bool bad = false;
  if (mine) {
    const RowErrors error = RowErrors::of(s, row);
    bad = !isfinite(error.offline) || (scored && !isfinite(error.online));
    if (scored) s.score[row] = align::alignment_score(error.online, error.offline);
  }
  if (scored && row < kMaxCandidates) {
    const unsigned terminals = __ballot_sync(kFullWarp, mine && s.discount[row] == 0);
    if (lane_id() == 0) s.terminals[warp_id()] = terminals;
  }
  return __syncthreads_count(bad ? 1 : 0);
}

// The paper's score of a candidate, for use after s.score was replaced.
static __device__ __noinline__ double recomputed_score(const Shared& s, int row) {
  const RowErrors error = RowErrors::of(s, row);
  return align::alignment_score(error.online, error.offline);
}

__device__ inline double paper_score(const AgentSpec& spec, const Shared& s, int row) {
  return replaces_scores(spec) ? recomputed_score(s, row) : s.score[row];
}

// The order of align::keep_best.
__device__ inline bool comes_before(double score, int row, double other_score, int other_row) {
  return score > other_score || (score == other_score && row < other_row);
}

// Whether a terminal is among those to keep: as many as the share requires, in the order drawn, or
// those the score would keep.
__device__ inline bool is_chosen_terminal(const AgentSpec& spec, const Shared& s, int row) {
  if (!is_terminal(s, row)) return false;
  const bool by_score = spec.terminal_share == kShareOfScore;
  int before = 0;
#pragma unroll 1
  for (int j = 0; j < spec.candidates; ++j) {
    const bool first =
        by_score ? comes_before(s.score[j], j, s.score[row], row) : j < row && is_terminal(s, j);
    before += first ? 1 : 0;
  }
  return before < (by_score
                       ? spec.batch
                       : align::terminal_quota(spec.terminal_share, spec.batch, s.state.updates));
}

// Overwrites s.score with the control score and applies the terminal rule.
static __device__ __noinline__ void replace_scores(const AgentSpec& spec, Shared& s) {
  const int row = thread_id();
  const bool mine = row < spec.candidates;
  if (mine && spec.score != align::ScoreKind::kPaper) {
    const RowErrors error = RowErrors::of(s, row);
    const auto drawn = static_cast<std::uint64_t>(s.state.updates - 1) *
                       static_cast<std::uint64_t>(spec.candidates);
    Rng stream{spec.score_key, drawn + static_cast<std::uint64_t>(row)};
    const double uniform = spec.score == align::ScoreKind::kRandom ? stream.uniform() : 0.0;
    s.score[row] =
        align::control_score(spec.score, error.online, error.offline, s.score[row], uniform);
  }
  __syncthreads();
  if (spec.terminals == align::Terminals::kScore) return;
  double place = 0;
  if (mine && spec.terminals == align::Terminals::kExempt) {
    place = align::exempt_place(is_terminal(s, row), row, spec.batch, s.score[row]);
  } else if (mine) {
    place = align::match_place(is_terminal(s, row), is_chosen_terminal(spec, s, row));
  }
  __syncthreads();
  if (mine) s.score[row] = place;
  __syncthreads();
}

}  // namespace tarl::fleet
