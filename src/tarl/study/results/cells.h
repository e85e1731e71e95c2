// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/study/results/results.h"

namespace tarl::study {

// Puts the runs that can be tabulated into their cells, with common evaluation steps per
// environment, and reports why every other run is left out. Part of read_results(); `of_run` is the
// algorithm of each run.
void fill_cells(Results& results, const std::vector<std::size_t>& of_run, bool unfinished_too);

}  // namespace tarl::study
