// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/align/align.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/means.h"

namespace tarl::fleet {

inline constexpr int kMostCandidates = 1024;  // m + b, of programs that choose so

// What a device says of the candidates of an update and of the rows kept of them.
struct ChoiceFigures {
  double alignment = 0, least_alignment = 0;  // of kept rows
  double alignment_of_all = 0, least_alignment_of_all = 0;
  std::int32_t scenario[align::kScenarioCount] = {};  // candidates
  std::int32_t terminals = 0, terminals_of_all = 0;   // rows
  std::int32_t bad_errors = 0;                        // candidates whose error is not finite
  std::int32_t bad_scores = 0;                        // or that of one of their targets
};

// Throws NonFiniteError, as train::Learner does, where there were such errors.
void refuse_bad_rows(const ChoiceFigures& figures, std::int64_t update, int candidates);

// What train::Learner adds of a choice by scores, in its order.
void add_choice(const ChoiceFigures& figures, int candidates, int kept, double target_lag,
                train::Means& means);

}  // namespace tarl::fleet
