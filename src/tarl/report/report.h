// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/core/files.h"
#include "tarl/statistics/aggregate.h"
#include "tarl/study/results/results.h"

namespace tarl::report {

struct ReportOptions {
  fs::path out = "report.html";
  statistics::BootstrapOptions bootstrap;
};

struct WrittenVerdict {
  std::string compared, base;  // labels
  std::string verdict;         // "better", "worse", ...
};

struct WrittenReport {
  fs::path page;         // the HTML file
  fs::path files;        // <name>_files beside it: figures, tables, data
  std::string markdown;  // a summary for the terminal
  std::vector<WrittenVerdict> verdicts;
  std::vector<study::Problem> notes;  // on runs that are missing, damaged, left out, ...
  bool of_one_run = false;            // a run's own page
};

// The folder that goes with a page.
fs::path files_beside(const fs::path& page);

// Writes one self-contained page that loads nothing, and next to it a folder with every figure as
// SVG, every table as LaTeX, the numbers as CSV and JSON, scores.npz in rliable's shape and
// summary.md. The same results give the same bytes. Throws Error when there is nothing to report
// or the files cannot be written.
WrittenReport write_report(const study::Results& results, const ReportOptions& options);

// The page of the one run whose folder is named, or else that of all runs at or below the folders.
// Without `out` it goes into the one folder, or where the program runs. Throws UsageError where one
// of them is no folder, Error as the pages do.
WrittenReport report_folders(const std::vector<fs::path>& folders,
                             const study::ReadOptions& reading, const fs::path& out = {});

}  // namespace tarl::report
