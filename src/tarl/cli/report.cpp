// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include <cstdio>

#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/report/run/run_page.h"

namespace tarl::cli {

namespace {

int print(const report::WrittenReport& written, const char* files) {
  std::printf("%s\nreport: %s\n%s: %s\n", written.markdown.c_str(), written.page.c_str(), files,
              written.files.c_str());
  return kExitGood;
}

int run_report(const Args& args) {
  const fs::path folder = args.positional().front();
  if (!fs::is_directory(folder)) {
    throw UsageError(folder.string() + " is no folder; name a study or a folder with runs");
  }
  const fs::path out = args.value("--out").value_or((folder / "report.html").string());
  if (study::is_run_folder(folder)) {
    const study::RunRecord record = study::read_run_record(folder);
    return print(report::write_run_report(record, out), "figures and tables");
  }
  study::ReadOptions reading;
  reading.include_unfinished = args.has("--unfinished");
  report::ReportOptions options;
  options.out = out;
  return print(report::write_report(study::read_results(folder, reading), options),
               "figures, tables and data");
}

}  // namespace

Verb report_verb() {
  return {
      .name = "report",
      .summary = "turn a run, a study or any folder with runs into one page of figures and tables",
      .usage = "DIR [--out FILE.html] [--unfinished]",
      .options =
          {{"--out", "FILE", "the page (default DIR/report.html)", {"-o"}},
           {"--unfinished", "", "also show runs that are not finished, cut to the shortest", {}}},
      .examples = {"tarl report runs/minatar-replay", "tarl report runs/first",
                   "tarl report runs --out today.html --unfinished"},
      .min_positional = 1,
      .max_positional = 1,
      .run = run_report};
}

}  // namespace tarl::cli
