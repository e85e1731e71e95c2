// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/scratch_folder.h"
#include "tarl/serve/server.h"
#include "tarl/study/executors/child_process.h"

namespace tarl::serve {

struct LiveOptions {
  fs::path folder;                            // a study, or any folder with runs below it
  std::vector<std::string> write_report;      // command; the file to write is added at its end
  std::chrono::milliseconds look{3000};       // between looks at the folder
  std::chrono::milliseconds between{10'000};  // between reports
};

// Keeps a server's pages up to date with a folder in which runs go on: /status.json and a
// "status" event when counts change, / and /report.html and a "report" event when there are new
// results. Reports are written by a child process, so that no browser waits for one.
class LiveReport {
 public:
  LiveReport(Server& server, LiveOptions options);
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  void step();  // call it a few times a second

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  void start_report();
  void finish_report(int status);

  Server& server_;
  LiveOptions options_;
  ScratchFolder scratch_;
  Clock::time_point looked_{};
  Clock::time_point reported_{};
  std::uint64_t seen_ = 0;   // fingerprint of the folder
  std::uint64_t shown_ = 0;  // the one the newest report was begun with
  std::string status_;
  std::optional<study::ChildProcess> writer_;
};

// Sizes and times of the result files below a folder: changes whenever they do.
std::uint64_t fingerprint(const fs::path& folder);

// {"name": ..., "runs": 48, "done": 12, "running": 2, "stopped": 0, "failed": 0, "missing": 34,
//  "seconds_left": 120}, or {"name": ..., "problem": ...} where the folder is gone
std::string status_json(const fs::path& folder);

// A page with the badge that shows the status and loads the page again when there is a new one.
std::string live_page(std::string html);

}  // namespace tarl::serve
