// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/report/analysis/paper_numbers.h"
#include "tarl/report/figures/figures.h"
#include "tarl/report/tables/table.h"

namespace tarl::report {

// One metric by algorithm and environment: the mean with its interval below.
Table metric_table(const Scene& scene, Metric metric);

// IQM, median, mean and optimality gap by algorithm.
Table aggregate_table(const Scene& scene);

// R_min and R_max of every environment, and who set them.
Table bounds_table(const Scene& scene);

// Every pair: absolute and relative gains, P(improvement), wins, pooled p, raw and corrected.
Table pairs_table(const Scene& scene);

// One pair by environment: paired differences, both tests with Holm's correction, seeds needed.
Table environments_table(const Scene& scene, const Pair& pair);

// What 3, 5, 10, 20, 30 and this study's number of seeds can detect.
Table power_table(const Scene& scene);

// Published tables that the study covers, or, without a study, that share two algorithms and an
// environment with the runs. A covered one that shares too little becomes a problem.
std::vector<const PaperTable*> covered_tables(const Scene& scene,
                                              std::vector<study::Problem>& problems);

// Our nAUC beside the published one, normalised over the algorithms of that table.
Table paper_table(const Scene& scene, const PaperTable& published);
// Gains of aligned agents, ours beside the paper's.
Table paper_gains_table(const Scene& scene, const PaperTable& published);

// Means over training of the logged alignment metrics; no rows if nothing was logged.
Table alignment_table(const Scene& scene);

// Wall-clock time, overhead of alignment, steps per second.
Table cost_table(const Scene& scene);

// Problems of one kind; the table's title counts them.
Table problems_table(const std::vector<study::Problem>& problems, study::ProblemKind kind);
Table runs_table(const study::Results& results);
// Settings that differ between algorithms, and those that all runs share.
Table differing_settings_table(const Scene& scene);
Table shared_settings_table(const study::Results& results);
// Versions, commits, machines and libraries, with the number of runs of each.
Table builds_table(const study::Results& results);

}  // namespace tarl::report
