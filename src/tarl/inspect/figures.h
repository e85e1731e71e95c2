// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/inspect/numbers.h"
#include "tarl/report/figures/figure.h"

namespace tarl::inspect {

// Candidates by score and by scenario.
report::Figure scores_figure(const Numbers& numbers);

// The score by other properties of candidates.
report::Figure properties_figure(const Numbers& numbers);

// Scores and scenarios by the target's age. Requires ages.
report::Figure ages_figure(const Numbers& numbers);

// What the filter keeps; no panels if it keeps everything.
report::Figure chances_figure(const Numbers& numbers);

}  // namespace tarl::inspect
