// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/study/results/results.h"

namespace tarl::study {

// Puts the runs that can be tabulated into their cells, those of one environment on common
// evaluation steps, and says of every other run why it is in none. Part of read_results(); `of_run`
// is the algorithm of each run.
void fill_cells(Results& results, const std::vector<std::size_t>& of_run, bool unfinished_too);

}  // namespace tarl::study
