// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/serve/run_index.h"
#include "tarl/serve/server.h"
#include "tarl/study/executors/child_process.h"

namespace tarl::serve {

struct LiveOptions {
  fs::path folder;                        // a study, any folder with runs below it, or one run
  std::vector<std::string> write_report;  // command; runs, --out and file are appended
  std::chrono::milliseconds look{1000};   // between scans of the folder
};

// Keeps a server's pages up to date with a folder of running runs (docs/serve.md):
//   /               the table of runs; of a folder that is a run, its page
//   /runs.json      what the table shows, and a "runs" event with the ids of runs that changed
//   /status.json    counts, and a "status" event when they change
//   /run/ID         the page of a run
//   /compare/ID+ID  the report of some runs
//   /report.html    the report of all
// The last three are generated on request, and again if their runs have changed since, by a child
// process, so that no browser waits for another's page.
class LivePages {
 public:
  LivePages(Server& server, LiveOptions options);
  LivePages(const LivePages&) = delete;
  LivePages& operator=(const LivePages&) = delete;

  void step();  // call it often: each time the server has served for pause()

  std::chrono::milliseconds pause() const;

 private:
  using Clock = std::chrono::steady_clock;

  // The subject of a generated page.
  struct Subject {
    std::vector<fs::path> folders;
    std::vector<std::string> ids;  // empty: every run
    std::uint64_t version = 0;     // changes when any of the runs does
  };

  struct WrittenPage {
    Subject subject;  // as last requested
    std::uint64_t begun = 0;
    std::optional<std::uint64_t> shown;  // the version shown
    Clock::time_point asked{};
    bool wanted = false;  // a request is waiting
    std::optional<study::ChildProcess> writer;
  };

  void look();
  PageState on_request(const std::string& path);
  std::optional<Subject> subject_of(const std::string& path) const;
  bool add_runs(std::string_view ids, Subject& subject) const;
  fs::path file_of(const std::string& path) const;
  void start_writers();
  void finish(const std::string& path, WrittenPage& page, int status);
  void make_room();

  Server& server_;
  LiveOptions options_;
  bool single_;  // the folder is itself a run
  ScratchFolder scratch_;
  RunIndex index_;
  std::map<std::string, WrittenPage> written_;  // by path
  std::optional<Clock::time_point> next_look_;
  std::string status_;
};

// {"name": ..., "runs": 48, "done": 12, "running": 2, "stopped": 0, "failed": 0, "missing": 34,
//  "seconds_left": 120}, or {"name": ..., "problem": ...} if the folder is gone
std::string status_json(const fs::path& folder, const RunIndex& index);

// The table of runs.
std::string browser_page(const std::string& name);

// A page with the bar that links to the others, shows the status and updates the page with news of
// these runs (of all runs if none are named).
std::string live_page(std::string html, const std::vector<std::string>& ids, bool single);

// Says why there is no page yet.
std::string waiting_page(const std::string& why);

}  // namespace tarl::serve
