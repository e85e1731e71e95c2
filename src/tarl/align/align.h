// SPDX-License-Identifier: MIT
//
// Target-aligned reinforcement learning (Pleiss, Harrison, Schiffer 2026) in one header.
//
// A transition's offline error is the one the update regresses on (target network); its online
// error is the one the current network would ask for. The score says how far the online network
// supports the offline step; the filter keeps the m best of m + b candidates.
//
// Depends only on the standard library: copy it into your own training code.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#ifndef TARL_HOST_DEVICE
#if defined(__CUDACC__)
#define TARL_HOST_DEVICE __host__ __device__
#else
#define TARL_HOST_DEVICE
#endif
#endif

namespace tarl::align {

inline constexpr double kEpsilon = 1e-8;

// How the offline step relates to the online one (figure 1 of the paper).
enum class Scenario : std::int32_t {
  kPerfect = 0,     // both errors equal
  kUndershoot = 1,  // same sign, offline smaller: supported in full
  kOvershoot = 2,   // same sign, offline larger: supported in part
  kMisaligned = 3,  // opposite signs, or one of them zero, or not finite
};
inline constexpr int kScenarioCount = 4;

// How an update uses the scores: the paper's filter, or an alternative of its appendix.
enum class Mode : std::int32_t {
  kFilter,      // draw m + b, learn from the m best
  kWeight,      // draw m, multiply losses by score^kappa, scaled to a mean of one
  kScale,       // draw m, multiply losses by score^kappa
  kPrioritize,  // draw m with priorities made of scores
  kOff,
};
inline constexpr std::array kModeNames = {"filter", "weight", "scale", "prioritize", "off"};

// A test of signs: the product would underflow for tiny errors.
TARL_HOST_DEVICE inline bool same_sign(double a, double b) {
  return (a > 0 && b > 0) || (a < 0 && b < 0);
}

TARL_HOST_DEVICE inline bool both_finite(double a, double b) {
  return std::isfinite(a) && std::isfinite(b);
}

// Alignment in [0, 1], equations 8 and 9. Errors that are not finite score 0.
TARL_HOST_DEVICE inline double alignment_score(double online_error, double offline_error) {
  if (!both_finite(online_error, offline_error)) return 0.0;
  const double online = std::fabs(online_error);
  if (same_sign(online_error, offline_error) && online >= std::fabs(offline_error)) return 1.0;
  // Divided by four, so that the sum of two huge errors stays finite.
  const double quarter = 0.25 * online;
  const double residual = std::fabs(0.25 * online_error - 0.25 * offline_error);
  return quarter / (quarter + residual + 0.25 * kEpsilon);
}

TARL_HOST_DEVICE inline Scenario scenario(double online_error, double offline_error) {
  if (!both_finite(online_error, offline_error)) return Scenario::kMisaligned;
  if (online_error == offline_error) return Scenario::kPerfect;
  if (!same_sign(online_error, offline_error)) return Scenario::kMisaligned;
  return std::fabs(online_error) > std::fabs(offline_error) ? Scenario::kUndershoot
                                                            : Scenario::kOvershoot;
}

// b for a margin given as a multiple of the batch size m: floor(margin * m), safe for 0.1 * 32.
TARL_HOST_DEVICE inline int oversampling(double margin, int batch_size) {
  return static_cast<int>(std::floor(margin * batch_size + 1e-9));
}

// Whether rows are weighted by their scores.
TARL_HOST_DEVICE constexpr bool weighs(Mode mode) {
  return mode == Mode::kWeight || mode == Mode::kScale;
}

// The factor for the powers score^kappa of `rows` rows whose sum is `total`.
TARL_HOST_DEVICE inline double weight_factor(Mode mode, double total, int rows) {
  return mode == Mode::kWeight && total > 0 ? rows / total : 1.0;
}

// Multiplies the weight of each kept row by its power and the factor above.
inline void weigh_rows(Mode mode, double kappa, std::span<const double> scores,
                       std::span<const std::int32_t> kept, std::span<float> weight) {
  const auto power = [&](std::int32_t row) {
    return std::pow(scores[static_cast<std::size_t>(row)], kappa);
  };
  double total = 0;
  for (const std::int32_t row : kept) total += power(row);
  const double factor = weight_factor(mode, total, static_cast<int>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    weight[i] = static_cast<float>(weight[i] * power(kept[i]) * factor);
  }
}

// The m best of the given scores, best first; ties go to the lower position. Requires
// 0 <= m <= scores.size().
inline std::vector<std::int32_t> keep_best(std::span<const double> scores, int m) {
  std::vector<std::int32_t> rows(scores.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::partial_sort(rows.begin(), rows.begin() + m, rows.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
                    });
  rows.resize(static_cast<std::size_t>(m));
  return rows;
}

// Predictions and bootstrapped targets of a set of candidates, one row of n values per critic.
struct Candidates {
  int rows = 0;
  int critics = 1;
  std::span<const float> q;          // [critics][rows] prediction for the action taken
  std::span<const float> y_online;   // [critics][rows] target from the online network
  std::span<const float> y_offline;  // [critics][rows] target from the target network
};

// One score per candidate: the minimum over its critics, with the scenario of that critic.
struct Scores {
  std::vector<double> score;  // ranks the rows: the equation above, unless replaced
  std::vector<Scenario> scenario;
  int nonfinite = 0;          // candidates with a non-finite error
  std::vector<double> paper;  // by the equation above, if `score` was replaced; else empty

  const std::vector<double>& alignment() const { return paper.empty() ? score : paper; }
};

// One candidate: its smallest score over critics, whose values lie `stride` apart.
struct Scored {
  double score = 0;
  Scenario scenario = Scenario::kMisaligned;
  bool finite = true;
};

TARL_HOST_DEVICE inline Scored score_candidate(int critics, std::size_t stride, const float* q,
                                               const float* y_online, const float* y_offline) {
  Scored out;
  for (int critic = 0; critic < critics; ++critic) {
    const std::size_t at = static_cast<std::size_t>(critic) * stride;
    const double value = q[at];
    const double online = static_cast<double>(y_online[at]) - value;
    const double offline = static_cast<double>(y_offline[at]) - value;
    out.finite = out.finite && both_finite(online, offline);
    const double score = alignment_score(online, offline);
    if (critic > 0 && !(score < out.score)) continue;
    out.score = score;
    out.scenario = align::scenario(online, offline);
  }
  return out;
}

inline void score_candidates(const Candidates& candidates, Scores& out) {
  const std::size_t n = static_cast<std::size_t>(candidates.rows);
  out.score.resize(n);
  out.scenario.resize(n);
  out.nonfinite = 0;
  out.paper.clear();
  for (std::size_t row = 0; row < n; ++row) {
    const Scored one =
        score_candidate(candidates.critics, n, candidates.q.data() + row,
                        candidates.y_online.data() + row, candidates.y_offline.data() + row);
    out.score[row] = one.score;
    out.scenario[row] = one.scenario;
    out.nonfinite += one.finite ? 0 : 1;
  }
}

}  // namespace tarl::align
