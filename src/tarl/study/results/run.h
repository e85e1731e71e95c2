// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/statistics/descriptive.h"
#include "tarl/store/evaluations.h"
#include "tarl/store/run_info.h"
#include "tarl/store/timing_log.h"

namespace tarl::train {
struct RunConfig;
}

namespace tarl::study {

// Settings by "group.key", values as text.
using Settings = std::map<std::string, std::string>;

// A run as found on disk.
struct Run {
  fs::path folder;         // relative to the folder named; as named if there are several
  fs::path below_source;   // the same, relative to its source
  std::size_t source = 0;  // position among those folders
  fs::path place;          // the folder from the root, without links
  std::string env;
  std::string algo;
  std::int64_t seed = 0;
  std::int64_t steps = 0;
  std::string label;              // config.toml's own name for the run's condition; may be empty
  std::int64_t first_update = 0;  // step after which the first update comes; 0: unknown
  Settings config;                // config.toml
  Settings info;                  // run.json, nested objects as "group.key", lists joined by spaces

  std::vector<std::int64_t> timesteps;       // of the evaluations
  std::vector<std::vector<double>> returns;  // [evaluation][episode]
  std::vector<std::int64_t> lengths;         // of these episodes, flat; empty: unknown
  statistics::Curve mean_returns;            // by evaluation
  statistics::Curve curve;  // the same at the steps of its environment, see common_steps.h
  std::map<std::string, statistics::Curve> progress;  // columns of progress.csv, NaN if empty

  std::optional<store::RunStatus> status;  // from run.json
  double wall_seconds = -1;                // negative: not in run.json
  std::optional<store::Timing> timing;     // of an unfinished run: the last row of timing.csv
  std::int64_t resumes = 0;
  std::int64_t expected_evaluations = 0;  // eval.count; 0: not in config.toml
  std::vector<std::string> damage;        // files that could not be read, and why

  bool complete() const;

  // Whether an evaluation at this step comes after the first update.
  bool trained_at(std::int64_t step) const { return step > first_update; }

  bool trained() const { return !timesteps.empty() && trained_at(timesteps.back()); }

  // Of training, on average; nothing if it is not known how long the steps took.
  std::optional<double> steps_per_second() const;

  std::string setting(const std::string& key, const std::string& otherwise = "") const;
  double number(const std::string& key, double otherwise) const;
};

// Whether a folder holds a run: config.toml with evaluations.npz or run.json.
bool is_run_folder(const fs::path& folder);

// A folder or link that the search for runs did not enter, and why.
struct PassedOver {
  fs::path path;
  std::string why;
};

// A run folder and the position of the root it was found below.
struct FoundRun {
  fs::path path;
  std::size_t root = 0;
};

// Every run folder at or below `roots`, by root and name; does not descend into runs. Follows links
// to folders, except to a folder that contains a root, and enters every folder once, by its real
// name if it has one: a run that can be reached twice is found once, below the innermost root that
// contains it.
std::vector<FoundRun> find_run_folders(const std::vector<fs::path>& roots,
                                       std::vector<PassedOver>* passed_over = nullptr);
std::vector<fs::path> find_run_folders(const fs::path& root);

// As config.toml spells them.
Settings settings_of(const train::RunConfig& config);

// Fills what follows from `run.config`. Throws Error where that is no run's.
void take_settings(Run& run);

// Likewise from `run.info`.
void take_info(Run& run);

// How long an unfinished run has trained and up to which step: run.json has it of its last
// checkpoint or stop, timing.csv of its last logged row.
void take_timing(Run& run, const fs::path& folder);

// Fills the evaluations.
void take_evaluations(Run& run, const store::Evaluations& evaluations);

// Reads only settings and run.json, which is cheap; otherwise like read_run.
Run read_run_headers(const fs::path& root, const fs::path& folder);

// Reads what exists; whatever is missing or unreadable is noted in `damage`.
Run read_run(const fs::path& root, const fs::path& folder);

}  // namespace tarl::study
