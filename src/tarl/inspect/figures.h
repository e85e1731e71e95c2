// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/inspect/numbers.h"
#include "tarl/report/figures/figure.h"

namespace tarl::inspect {

// How many candidates have which score, and which scenario.
report::Figure scores_figure(const Numbers& numbers);

// The score by what else a candidate is.
report::Figure properties_figure(const Numbers& numbers);

// Scores and scenarios by the target's age. Requires ages.
report::Figure ages_figure(const Numbers& numbers);

// What the filter keeps; no panels where it keeps everything.
report::Figure chances_figure(const Numbers& numbers);

}  // namespace tarl::inspect
