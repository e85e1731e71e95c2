// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/figures/figure.h"
#include "tarl/report/report.h"
#include "tarl/report/tables/table.h"
#include "tarl/study/results/run_record.h"

namespace tarl::report {

// A figure of a run; the page's script redraws its panels, except stacked ones.
struct RunFigure {
  std::string id, title, caption;
  std::vector<LinePanel> panels;
  bool smooths = false;  // the reader may smooth its curves
  std::vector<LegendEntry> legend{};
};

// The sections of a run's page that show curves. Those without logged data have no panels.
struct RunFigures {
  RunFigure evaluation, training, learning, alignment, scenarios;

  // In the page's order, with panels.
  std::vector<const RunFigure*> all() const;
};

RunFigures run_figures(const study::RunRecord& record);

// Numbers the panels that the script redraws from `first`, and advances it.
Figure draw(const RunFigure& figure, std::size_t& first);

// The data from which the script redraws them, in the format of page_data.
std::string run_page_data(const RunFigures& figures);

// Settings that differ from the preset's; all settings, with those marked.
Table run_differences_table(const study::RunRecord& record);
Table run_settings_table(const study::RunRecord& record);
// Time, machine, command and build.
Table run_cost_table(const study::RunRecord& record);

// The page. `files` is the name of the folder beside it.
std::string run_page_html(const study::RunRecord& record, const std::string& files);

// The outcome of the run, in Markdown.
std::string run_summary(const study::RunRecord& record);

// Writes the page of one run and next to it a folder with its figures as SVG, its tables as LaTeX
// and summary.md. Throws Error if the files cannot be written.
WrittenReport write_run_report(const study::RunRecord& record, const fs::path& out);

}  // namespace tarl::report
