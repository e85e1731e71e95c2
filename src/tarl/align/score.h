// SPDX-License-Identifier: MIT
//
// Alternatives to the paper's score: controls, each of which removes one ingredient of its
// equation, and other rules with the same aim.
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
  kFresh,      // fresh_score
  kSignal,     // signal_score
  kAbove,      // 1 where the target is above the prediction, else 0
  kBelow,      // 1 where it is below, else 0
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
    BuiltInScore{"fresh", "falls with how far the target has moved, whatever the errors' signs"},
    BuiltInScore{"signal", "share of the offline error in it and the target's movement"},
    BuiltInScore{"above", "control: 1 where the target is above the prediction, else 0"},
    BuiltInScore{"below", "control: 1 where the target is below the prediction, else 0"},
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

// Falls from 1 with the distance of the two targets: how far the network has moved this target
// since the target network was made. Terminal transitions score 1, as by the paper's.
TARL_HOST_DEVICE inline double fresh_score(double online_error, double offline_error) {
  if (!both_finite(online_error, offline_error)) return 0.0;
  return 1.0 / (1.0 + std::fabs(online_error - offline_error));
}

// Near 1 where the offline error is large relative to how far the target has moved.
TARL_HOST_DEVICE inline double signal_score(double online_error, double offline_error) {
  if (!both_finite(online_error, offline_error)) return 0.0;
  const double offline = std::fabs(offline_error);
  return offline / (offline + std::fabs(online_error - offline_error) + kEpsilon);
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
    case ScoreKind::kFresh:
      return fresh_score(online_error, offline_error);
    case ScoreKind::kSignal:
      return signal_score(online_error, offline_error);
    case ScoreKind::kAbove:
      return std::isfinite(offline_error) && offline_error > 0 ? 1.0 : 0.0;
    case ScoreKind::kBelow:
      return std::isfinite(offline_error) && offline_error < 0 ? 1.0 : 0.0;
    default:
      return paper;
  }
}

}  // namespace tarl::align
