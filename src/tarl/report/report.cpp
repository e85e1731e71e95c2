// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include "tarl/core/error.h"
#include "tarl/report/export/export.h"
#include "tarl/report/page/page.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

void write_files(const Scene& scene, const Content& content, const std::string& markdown,
                 const fs::path& folder) {
  make_directories(folder);
  for (const Figure* figure : all_figures(content)) {
    write_file_durably(folder / (file_name(figure->id) + ".svg"), figure_file(*figure));
  }
  for (const Table* table : all_tables(content)) {
    write_file_durably(folder / (file_name(table->id) + ".tex"), table_latex(*table));
  }
  write_file_durably(folder / "runs.csv", runs_csv(scene));
  write_file_durably(folder / "curves.csv", curves_csv(scene));
  write_file_durably(folder / "summary.csv", summary_csv(scene));
  write_file_durably(folder / "comparisons.csv", comparisons_csv(scene));
  write_file_durably(folder / "results.json", results_json(scene));
  if (!content.filter.empty()) {
    write_file_durably(folder / "filter.csv", filter_csv(scene, content.filter));
  }
  write_score_arrays(scene, folder);
  write_file_durably(folder / "summary.md", markdown);
}

}  // namespace

fs::path files_beside(const fs::path& page) {
  return page.parent_path() / (page.stem().string() + "_files");
}

WrittenReport write_report(const study::Results& results, const ReportOptions& options) {
  require_replaceable(options.out);
  const Analysis analysis = analyse(results, options.bootstrap);
  if (analysis.tabulated_runs == 0) {
    throw Error(results.folder.string() +
                ": no run with an evaluation to report; train some first (tarl study run)");
  }
  const Scene scene = make_scene(analysis);
  const Content content = make_content(scene);
  WrittenReport written;
  written.page = options.out;
  written.files = files_beside(options.out);
  written.markdown = summary_markdown(scene, content);
  if (options.out.has_parent_path()) make_directories(options.out.parent_path());
  write_files(scene, content, written.markdown, written.files);
  write_file_durably(options.out, page_html(scene, content, written.files.filename().string()));
  return written;
}

}  // namespace tarl::report
