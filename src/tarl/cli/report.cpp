// SPDX-License-Identifier: MIT
#include "tarl/report/report.h"

#include <cstdio>

#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/report/run/run_page.h"

namespace tarl::cli {

namespace {

int print(const report::WrittenReport& written, const char* files) {
  std::printf("%s\nreport: %s\n%s: %s\n", written.markdown.c_str(), written.page.c_str(), files,
              written.files.c_str());
  return kExitGood;
}

// One folder that leads to all of them.
study::Results read_all(const std::vector<fs::path>& folders, const study::ReadOptions& reading) {
  if (folders.size() == 1) return study::read_results(folders.front(), reading);
  const ScratchFolder scratch("tarl-report");
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string name = std::to_string(i) + "-" + folders[i].filename().string();
    fs::create_directory_symlink(fs::canonical(folders[i]), scratch / name);
  }
  study::Results results = study::read_results(scratch.path(), reading);
  results.study = std::to_string(folders.size()) + " folders";
  return results;
}

int run_report(const Args& args) {
  std::vector<fs::path> folders;
  for (const std::string& folder : args.positional()) {
    if (!fs::is_directory(folder)) {
      throw UsageError(folder + " is no folder; name runs, studies or folders with runs");
    }
    folders.emplace_back(folder);
  }
  const bool one = folders.size() == 1;
  const fs::path page = one ? folders.front() / "report.html" : "report.html";
  const fs::path out = args.value("--out").value_or(page.string());
  if (one && study::is_run_folder(folders.front())) {
    const study::RunRecord record = study::read_run_record(folders.front());
    return print(report::write_run_report(record, out), "figures and tables");
  }
  study::ReadOptions reading;
  reading.include_unfinished = args.has("--unfinished");
  report::ReportOptions options;
  options.out = out;
  return print(report::write_report(read_all(folders, reading), options),
               "figures, tables and data");
}

}  // namespace

Verb report_verb() {
  return {
      .name = "report",
      .summary = "turn a run, a study or any folder with runs into one page of figures and tables",
      .usage = "DIR... [--out FILE.html] [--unfinished]",
      .options =
          {{"--out",
            "FILE",
            "the page (default DIR/report.html; of several ./report.html)",
            {"-o"}},
           {"--unfinished", "", "also show runs that are not finished, cut to the shortest", {}}},
      .examples = {"tarl report runs/minatar-replay", "tarl report runs/first",
                   "tarl report runs --out today.html --unfinished"},
      .min_positional = 1,
      .max_positional = 1000,
      .run = run_report};
}

}  // namespace tarl::cli
