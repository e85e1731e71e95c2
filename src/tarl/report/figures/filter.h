// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/analysis/filter.h"
#include "tarl/report/figures/figures.h"

namespace tarl::report {

// What the filter does: one figure for each cell whose traces tell of candidates left out.
std::vector<Figure> filter_figures(const Scene& scene, const std::vector<FilterCounts>& counts);

// The chance to be kept, a bar a kind.
Drawing chance_panel(const KeptBy& by, const std::string& style);

// Of one run's page: the figure, or one without panels where there is nothing to tell.
Figure run_filter_figure(const study::Run& run);

// The numbers behind them, one row a kind; also of traces of updates that keep everything.
std::string filter_csv(const Scene& scene, const std::vector<FilterCounts>& counts);

}  // namespace tarl::report
