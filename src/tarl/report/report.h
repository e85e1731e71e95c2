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
  std::vector<study::Problem> notes;  // on runs that are missing, damaged, excluded, ...
  bool of_one_run = false;            // a run's own page
};

// The folder that accompanies a page.
fs::path files_beside(const fs::path& page);

// Writes one self-contained page without external resources, and next to it a folder with every
// figure as SVG, every table as LaTeX, the numbers as CSV and JSON, scores.npz in rliable's shape
// and summary.md. The same results give the same bytes. Throws Error if there is nothing to report
// or the files cannot be written.
WrittenReport write_report(const study::Results& results, const ReportOptions& options);

// The page of one run, if its folder is the only one named, else that of all runs at or below the
// folders. Without `out` it goes into the only folder named, or else into the current directory.
// Throws UsageError if one of them is not a folder, Error as the pages do.
WrittenReport report_folders(const std::vector<fs::path>& folders,
                             const study::ReadOptions& reading, const fs::path& out = {});

}  // namespace tarl::report
