// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include <cstdio>

#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"

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

int print(const Args& args, const report::WrittenReport& written) {
  if (wants_json(args)) return print_json(report_json(written));
  const char* files = written.of_one_run ? "figures and tables" : "figures, tables and data";
  std::printf("%s\nreport: %s\n%s: %s\n", written.markdown.c_str(), written.page.c_str(), files,
              written.files.c_str());
  return kExitGood;
}

int run_report(const Args& args) {
  const std::vector<fs::path> folders(args.positional().begin(), args.positional().end());
  study::ReadOptions reading;
  reading.include_unfinished = args.has("--unfinished");
  reading.labels = args.values("--label");
  if (!reading.labels.empty() && reading.labels.size() != folders.size()) {
    throw UsageError("--label " + reading.labels.front() + ": give one --label for each folder, " +
                     "in their order (" + plural(folders.size(), "folder") + ", " +
                     plural(reading.labels.size(), "label") + "; \"\" is none)");
  }
  return print(args, report::report_folders(folders, reading, args.value("--out").value_or("")));
}

}  // namespace

Verb report_verb() {
  return {
      .name = "report",
      .summary = "turn runs, studies or any folders with runs into one page of figures and tables",
      .usage = "DIR... [--label NAME]... [--out FILE.html] [--unfinished] [--json]",
      .options = {{"--label",
                   "NAME",
                   "name of a folder's condition; once for each DIR, in their order",
                   {"-l"}},
                  {"--out",
                   "FILE",
                   "the page (default DIR/report.html; of several folders ./report.html)",
                   {"-o"}},
                  {"--unfinished", "", "also show unfinished runs, as far as they got", {}},
                  json_option()},
      .examples = {"tarl report runs/minatar-replay", "tarl report runs/first",
                   "tarl report runs/old runs/new --label \"old score\" --label \"new score\"",
                   "tarl report runs --out today.html --unfinished"},
      .min_positional = 1,
      .max_positional = kAnyNumber,
      .run = run_report};
}

}  // namespace tarl::cli
