// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/figures/figure.h"
#include "tarl/report/report.h"
#include "tarl/report/tables/table.h"
#include "tarl/study/results/run_record.h"

namespace tarl::report {

// A figure of a run whose panels the page's script redraws, all but stacked ones.
struct RunFigure {
  std::string id, title, caption;
  std::vector<LinePanel> panels;
  bool smooths = false;  // the reader may smooth its curves
  std::vector<LegendEntry> legend{};
};

// The sections of curves of a run's page. Those for which nothing was logged have no panels.
struct RunFigures {
  RunFigure evaluation, training, learning, alignment, scenarios;

  // In the page's order, with panels.
  std::vector<const RunFigure*> all() const;
};

RunFigures run_figures(const study::RunRecord& record);

// Panels that the script redraws are numbered from `first`, which moves on.
Figure draw(const RunFigure& figure, std::size_t& first);

// What the script redraws them from, in the form of page_data.
std::string run_page_data(const RunFigures& figures);

// Settings that differ from the preset's, and all of them with those marked.
Table run_differences_table(const study::RunRecord& record);
Table run_settings_table(const study::RunRecord& record);
// Time, machine, command and build.
Table run_cost_table(const study::RunRecord& record);

// The page. `files` is the name of the folder beside it.
std::string run_page_html(const study::RunRecord& record, const std::string& files);

// What the run has come to, in Markdown.
std::string run_summary(const study::RunRecord& record);

// Writes the page of one run and next to it a folder with its figures as SVG, its tables as LaTeX
// and summary.md. Throws Error when the files cannot be written.
WrittenReport write_run_report(const study::RunRecord& record, const fs::path& out);

}  // namespace tarl::report
