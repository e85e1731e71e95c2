// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include "tarl/core/error.h"
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/export/export.h"
#include "tarl/report/page/page.h"
#include "tarl/report/run/run_page.h"
#include "tarl/report/text.h"
#include "tarl/store/own_files.h"

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
  write_file_durably(folder / "aggregates.csv", aggregates_csv(scene));
  write_file_durably(folder / "comparisons.csv", comparisons_csv(scene));
  write_file_durably(folder / "comparisons.json", comparisons_json(scene));
  write_file_durably(folder / "results.json", results_json(scene));
  if (!content.filter.empty()) {
    write_file_durably(folder / "filter.csv", filter_csv(scene, content.filter));
  }
  write_score_arrays(scene, folder);
  write_file_durably(folder / "summary.md", markdown);
}

// Names what could not be read: there may be nothing else.
std::string why_nothing(const study::Results& results) {
  constexpr std::size_t kNamed = 3;
  std::string folders, damage;
  for (const study::Source& source : results.sources) {
    folders += concat({folders.empty() ? "" : ", ", source.path.string()});
  }
  std::size_t named = 0;
  for (const study::Problem& problem : results.problems) {
    if (problem.kind != study::ProblemKind::kDamaged || named++ >= kNamed) continue;
    damage += concat({"; ", problem.where, ": ", problem.what});
  }
  if (named > kNamed) damage += concat({"; and ", std::to_string(named - kNamed), " more"});
  return concat({folders, ": no run with an evaluation to report",
                 damage.empty() ? "; train some first (tarl study run)" : damage});
}

}  // namespace

fs::path files_beside(const fs::path& page) {
  return page.parent_path() / (page.stem().string() + "_files");
}

WrittenReport write_report(const study::Results& results, const ReportOptions& options) {
  store::refuse_run_file(options.out);
  require_replaceable(options.out);
  const Analysis analysis = analyse(results, options.bootstrap);
  if (analysis.tabulated_runs == 0) throw Error(why_nothing(results));
  const Scene scene = make_scene(analysis);
  const Content content = make_content(scene);
  WrittenReport written;
  written.page = options.out;
  written.files = files_beside(options.out);
  written.markdown = summary_markdown(scene, content);
  for (const Pair* pair : verdict_pairs(analysis)) {
    written.verdicts.push_back(
        {analysis.label(pair->compared), analysis.label(pair->base), verdict_word(pair->verdict)});
  }
  written.notes = results.problems;
  if (options.out.has_parent_path()) make_directories(options.out.parent_path());
  write_files(scene, content, written.markdown, written.files);
  write_file_durably(options.out, page_html(scene, content, written.files.filename().string()));
  return written;
}

WrittenReport report_folders(const std::vector<fs::path>& folders,
                             const study::ReadOptions& reading, const fs::path& out) {
  for (const fs::path& folder : folders) {
    if (fs::is_directory(folder)) continue;
    throw UsageError(folder.string() + " is no folder; name runs, studies or folders with runs");
  }
  const bool one = folders.size() == 1;
  ReportOptions options;
  if (one) options.out = folders.front() / options.out;
  if (!out.empty()) options.out = out;
  if (one && study::is_run_folder(folders.front())) {
    return write_run_report(study::read_run_record(folders.front()), options.out);
  }
  return write_report(study::read_results(folders, reading), options);
}

}  // namespace tarl::report
