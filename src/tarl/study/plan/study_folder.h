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
//   baselines.json  what a random policy scores
//   session.json    when and how it was last started
//   <env>/<slug of the label>/seed<k>/   the runs

inline constexpr const char* kStudyFile = "study.toml";

// Where a study goes unless the user says otherwise.
fs::path usual_folder(const Study& study);

// Starts the study of a folder, or joins it: more seeds, environments and conditions may be added,
// fewer seeds and environments leave the rest alone. Returns what the folder holds then. Throws
// UsageError with the differences where settings of the study or of a run in it have changed.
Study join_folder(const fs::path& out, const Study& asked);

bool has_study(const fs::path& out);

// The study of a folder. Throws Error if there is none.
Study stored_study(const fs::path& out);

// Makes the run's folder with its config.toml, unless they are there: `tarl train --resume` does
// the rest, whether the run is new, was interrupted or is finished.
void prepare_run(const PlannedRun& run);

// The command that brings a prepared run to its end, after the program's name.
std::vector<std::string> train_arguments(const PlannedRun& run);

// Notes in run.json that a run was given up, for everyone who looks at it later.
void mark_failed(const PlannedRun& run, const std::string& why);

// When the work on a study began, for estimates of what is left.
struct StudySession {
  std::string executor;
  double started = 0;         // seconds since 1970
  double steps_at_start = 0;  // already done in all runs
};

void save_session(const fs::path& out, const StudySession& session);
std::optional<StudySession> load_session(const fs::path& out);

// Seconds until `steps_total` at the pace since the session began; nothing before there is a pace.
std::optional<double> seconds_left(const StudySession& session, double now, double steps_done,
                                   double steps_total);

}  // namespace tarl::study
