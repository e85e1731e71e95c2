// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/report/figures/figures.h"
#include "tarl/report/figures/filter.h"
#include "tarl/report/tables/tables.h"

namespace tarl::report {

// Every figure and table of a report, made once and used by the page and by the files beside it.
// Those without data are omitted or have no panels or rows.
struct Content {
  Figure curves, overall, aggregates, improvement, seeds, scenarios, cost;
  std::vector<Figure> sweeps, paper_figures, alignment_figures;
  std::vector<FilterCounts> filter;  // of runs with a trace

  std::vector<Table> metrics;       // nAUC, raw AUC, final, peak
  std::vector<Table> environments;  // one per pair
  std::vector<Table> paper;         // published numbers beside ours
  Table aggregate_numbers, bounds, pairs, power, alignment, costs;

  // Those of the results, and figures of the paper that could not be drawn; by kind.
  std::vector<study::Problem> problems;
};

Content make_content(const Scene& scene);

// "3 missing runs, 1 failed run".
std::string problems_summary(const std::vector<study::Problem>& problems);

std::vector<const Figure*> all_figures(const Content& content);  // with panels
std::vector<const Table*> all_tables(const Content& content);    // with rows

}  // namespace tarl::report
