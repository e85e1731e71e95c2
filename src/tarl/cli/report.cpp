// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include <cstdio>

#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"

namespace tarl::cli {

namespace {

Json report_json(const report::WrittenReport& written) {
  Json json = {{"page", written.page.string()},
               {"files", written.files.string()},
               {"verdicts", Json::array()},
               {"notes", Json::array()}};
  for (const report::WrittenVerdict& one : written.verdicts) {
    json["verdicts"].push_back(
        {{"compared", one.compared}, {"with", one.base}, {"verdict", one.verdict}});
  }
  for (const study::Problem& note : written.notes) {
    json["notes"].push_back({{"where", note.where}, {"what", note.what}});
  }
  return json;
}

int run_report(const Args& args) {
  const fs::path folder = args.positional().front();
  if (!fs::is_directory(folder)) {
    throw UsageError(folder.string() + " is no folder; name a study or a folder with runs");
  }
  study::ReadOptions reading;
  reading.include_unfinished = args.has("--unfinished");
  report::ReportOptions options;
  options.out = args.value("--out").value_or((folder / "report.html").string());
  const report::WrittenReport written =
      report::write_report(study::read_results(folder, reading), options);
  if (wants_json(args)) return print_json(report_json(written));
  std::printf("%s\nreport: %s\nfigures, tables and data: %s\n", written.markdown.c_str(),
              written.page.c_str(), written.files.c_str());
  return kExitGood;
}

}  // namespace

Verb report_verb() {
  return {.name = "report",
          .summary = "turn a study, or any folder with runs, into one page of figures and tables",
          .usage = "DIR [--out FILE.html] [--unfinished] [--json]",
          .options = {{"--out", "FILE", "the page (default DIR/report.html)", {"-o"}},
                      {"--unfinished",
                       "",
                       "also show runs that are not finished, cut to the shortest",
                       {}},
                      json_option()},
          .examples = {"tarl report runs/minatar-replay",
                       "tarl report runs --out today.html --unfinished"},
          .min_positional = 1,
          .max_positional = 1,
          .run = run_report};
}

}  // namespace tarl::cli
