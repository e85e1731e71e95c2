// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/study/plan/grid.h"

namespace tarl::study {

// A study on disk:
//   study.toml      what the folder holds, resolved
//   study.json      the same for other programs: labels by folder, comparisons, every run
//   baselines.json  the random score of each environment
//   session.json    when and how it was last started
//   <env>/<slug of the label>/seed<k>/   the runs

inline constexpr const char* kStudyFile = "study.toml";

// The default folder of a study.
fs::path usual_folder(const Study& study);

// Starts or extends the study of a folder: more seeds, environments and conditions may be added,
// fewer seeds and environments leave the rest alone. Returns the folder's resulting study. Throws
// UsageError with the differences if settings of the study or of one of its runs have changed.
Study join_folder(const fs::path& out, const Study& asked);

bool has_study(const fs::path& out);

// The study of a folder. Throws Error if there is none.
Study stored_study(const fs::path& out);

// Makes the run's folder with its config.toml unless they exist: `tarl train --resume` does the
// rest, whether the run is new, interrupted or finished.
void prepare_run(const PlannedRun& run);

// The arguments of the command that completes a prepared run.
std::vector<std::string> train_arguments(const PlannedRun& run);

// Records in run.json that a run was given up.
void mark_failed(const PlannedRun& run, const std::string& why);

// When work on a study began, for estimates of the remaining time.
struct StudySession {
  std::string executor;
  double started = 0;         // seconds since 1970
  double steps_at_start = 0;  // already done, over all runs
};

void save_session(const fs::path& out, const StudySession& session);
std::optional<StudySession> load_session(const fs::path& out);

// Seconds until `steps_total` at the session's pace so far; nothing until the pace is known.
std::optional<double> seconds_left(const StudySession& session, double now, double steps_done,
                                   double steps_total);

}  // namespace tarl::study
