// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/align/align.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/means.h"

namespace tarl::fleet {

inline constexpr int kMostCandidates = 1024;  // m + b

// What a device reports on the candidates of an update and on the rows it keeps.
struct ChoiceFigures {
  double alignment = 0, least_alignment = 0;  // of kept rows
  double alignment_of_all = 0, least_alignment_of_all = 0;
  std::int32_t scenario[align::kScenarioCount] = {};  // candidates
  std::int32_t terminals = 0, terminals_of_all = 0;   // rows
  std::int32_t bad_errors = 0;                        // candidates with an error that is not finite
  std::int32_t bad_scores = 0;                        // candidates whose score is not
};

// Throws NonFiniteError, as train::Learner does, if there were any such errors.
void refuse_bad_rows(const ChoiceFigures& figures, std::int64_t update, int candidates);

// Adds the metrics that train::Learner adds when it chooses by scores, in its order.
void add_choice(const ChoiceFigures& figures, int candidates, int kept, double target_lag,
                train::Means& means);

}  // namespace tarl::fleet
