// SPDX-License-Identifier: MIT
//
// Alternatives to the paper's score, as controls: how much of the effect is due to its equation?
#pragma once

#include <array>
#include <cstdint>

#include "tarl/align/align.h"

namespace tarl::align {

// The score that ranks rows. The built-in scores run on the CPU and on a GPU.
enum class ScoreKind : std::int32_t {
  kPaper,      // alignment_score
  kDirection,  // direction_score
  kError,      // error_score
  kRandom,     // uniform in [0, 1), drawn for each candidate
  kWorst,      // 1 - the paper's
  kForeign,    // a registered function; CPU only
};

struct BuiltInScore {
  const char* name;
  const char* help;
};

// Indexed by kind; all but kForeign.
inline constexpr std::array kBuiltInScores = {
    BuiltInScore{"paper", "the paper's: how far the online network supports the offline step"},
    BuiltInScore{"direction", "control: 1 where both errors have the same sign, else 0"},
    BuiltInScore{"error", "control: falls with the size of the offline error"},
    BuiltInScore{"random", "control: uniform draws"},
    BuiltInScore{"worst", "control: 1 - the paper's; the filter keeps the worst"},
};

// 1 where both errors ask for a step in the same direction, else 0.
TARL_HOST_DEVICE inline double direction_score(double online_error, double offline_error) {
  return both_finite(online_error, offline_error) && same_sign(online_error, offline_error) ? 1.0
                                                                                            : 0.0;
}

// Falls from 1 with the size of the error that the update regresses on.
TARL_HOST_DEVICE inline double error_score(double offline_error) {
  return std::isfinite(offline_error) ? 1.0 / (1.0 + std::fabs(offline_error)) : 0.0;
}

// The score that replaces the paper's. The caller draws `uniform`.
TARL_HOST_DEVICE inline double control_score(ScoreKind kind, double online_error,
                                             double offline_error, double paper, double uniform) {
  switch (kind) {
    case ScoreKind::kDirection:
      return direction_score(online_error, offline_error);
    case ScoreKind::kError:
      return error_score(offline_error);
    case ScoreKind::kRandom:
      return uniform;
    case ScoreKind::kWorst:
      return 1.0 - paper;
    default:
      return paper;
  }
}

}  // namespace tarl::align
