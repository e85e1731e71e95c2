// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/statistics/descriptive.h"
#include "tarl/store/run_info.h"

namespace tarl::train {
struct RunConfig;
}

namespace tarl::study {

// Settings by "group.key", values as text.
using Settings = std::map<std::string, std::string>;

// One run as found on disk.
struct Run {
  fs::path folder;  // below the study folder
  std::string env;
  std::string algo;
  std::int64_t seed = 0;
  std::int64_t steps = 0;
  Settings config;  // config.toml
  Settings info;    // run.json, nested objects as "group.key", lists joined by spaces

  std::vector<std::int64_t> timesteps;                // of the evaluations
  std::vector<std::vector<double>> returns;           // [evaluation][episode]
  statistics::Curve scores;                           // mean return of each evaluation
  std::map<std::string, statistics::Curve> progress;  // columns of progress.csv, NaN where empty

  std::optional<store::RunStatus> status;  // as run.json says
  double wall_seconds = -1;                // negative when run.json does not say
  std::int64_t resumes = 0;
  std::int64_t expected_evaluations = 0;  // eval.count; 0 when config.toml does not say
  std::vector<std::string> damage;        // files that could not be read, and why

  bool complete() const;
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

// Every run folder below `root`, sorted; does not descend into runs. Follows links to folders, but
// none to a folder that holds `root`, and enters every folder once, by its own name where it has
// one below `root`: a run that can be reached twice is found once.
std::vector<fs::path> find_run_folders(const fs::path& root,
                                       std::vector<PassedOver>* passed_over = nullptr);

// As config.toml spells them.
Settings settings_of(const train::RunConfig& config);

// Reads settings and run.json alone, which is cheap; as read_run otherwise.
Run read_run_headers(const fs::path& root, const fs::path& folder);

// Reads what is there; what is not or cannot be read is noted in `damage`.
Run read_run(const fs::path& root, const fs::path& folder);

}  // namespace tarl::study
