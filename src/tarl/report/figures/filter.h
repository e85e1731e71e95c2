// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/analysis/filter.h"
#include "tarl/report/figures/figures.h"

namespace tarl::report {

// What the filter does: one figure for each cell whose traces have rejected candidates.
std::vector<Figure> filter_figures(const Scene& scene, const std::vector<FilterCounts>& counts);

// The probability of being kept, one bar per kind.
Drawing chance_panel(const KeptBy& by, const std::string& style);

// For a single run's page: the figure, or one without panels if there is nothing to show.
Figure run_filter_figure(const study::Run& run);

// The numbers behind them, one row per kind, including traces of updates that keep everything.
std::string filter_csv(const Scene& scene, const std::vector<FilterCounts>& counts);

}  // namespace tarl::report
