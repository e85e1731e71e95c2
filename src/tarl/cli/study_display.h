// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tarl/study/run_study.h"

namespace tarl::cli {

// Shows a running study: on a terminal one line per running job, redrawn in place; otherwise plain
// lines, one per event and occasionally a summary.
class StudyDisplay {
 public:
  StudyDisplay();
  ~StudyDisplay();
  StudyDisplay(const StudyDisplay&) = delete;
  StudyDisplay& operator=(const StudyDisplay&) = delete;

  void begun(std::span<const study::PlannedRun> runs, const study::Survey& survey,
             const study::StudySession& session);
  void event(const study::RunEvent& event);
  void tick();

 private:
  using Clock = std::chrono::steady_clock;
  void refresh();  // reads the folders of active runs
  void say(const std::string& line);
  void clear();
  std::string summary() const;

  bool terminal_;
  int drawn_lines_ = 0;
  Clock::time_point shown_{};
  study::StudySession session_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  double steps_total_ = 0;
  double steps_finished_ = 0;                         // of runs that were finished at the start
  std::map<const study::PlannedRun*, double> steps_;  // of the others, as far as is known
  std::map<const study::PlannedRun*, study::RunState> active_;
};

// The whole study as a table, one row per condition and environment, and a summary line.
std::string status_table(const study::Study& study, std::span<const study::PlannedRun> runs,
                         const study::Survey& survey);
std::string status_line(const study::Survey& survey);

double seconds_since_1970();

}  // namespace tarl::cli
