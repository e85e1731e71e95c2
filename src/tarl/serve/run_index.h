// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/study/results/run.h"
#include "tarl/study/results/run_state.h"

namespace tarl::serve {

// A row of the table of runs.
struct RunRow {
  std::string id;  // short, from the path alone
  fs::path folder;
  std::string path;   // below the folder shown; "." if that is the run itself
  study::Run header;  // settings and run.json
  std::string label;  // "TA-DQN+PER b=0.5m"
  study::RunPhase phase = study::RunPhase::kStopped;
  std::int64_t step = 0;
  std::vector<std::int64_t> timesteps;
  std::vector<double> mean_returns;  // by evaluation
  std::int64_t updated = 0;          // seconds since 1970; 0: unknown
  std::string damage;                // what could not be read, and why
  std::uint64_t version = 0;         // changes whenever the run's results do
};

// The runs below a folder, re-read only when a file has changed.
class RunIndex {
 public:
  explicit RunIndex(fs::path folder) : folder_(std::move(folder)) {}

  // Searches the folder and reads changes for about `budget`; the next look continues with the
  // rest. Returns the ids of runs that changed, appeared or disappeared. A missing folder has no
  // runs.
  std::vector<std::string> look(std::chrono::milliseconds budget);

  std::size_t unread() const { return unread_; }  // runs found but not in a row yet

  std::vector<const RunRow*> rows() const;  // by path
  const RunRow* find(const std::string& id) const;

  // {"name", "unread", "runs": [...]}, docs/serve.md
  std::string json() const;

 private:
  // Times and sizes of a run's files.
  struct Stamps {
    std::uint64_t config = 0, info = 0, evaluations = 0, progress = 0, monitor = 0;
    std::int64_t updated = 0;
    bool in_use = false;
    bool operator==(const Stamps&) const = default;
  };

  struct Entry {
    RunRow row;
    Stamps read;   // as in the row
    Stamps found;  // as on disk
    bool known = false;
    std::string bad_evaluations;  // why they could not be read

    bool stale() const { return !known || read != found; }
  };

  static Stamps stamps_of(const fs::path& folder);
  static void read(Entry& entry, bool& relabel);
  void name(RunRow& row, const fs::path& run, const std::string& path);
  void find_runs(std::vector<std::string>& changed);
  void label();
  std::string new_id(const std::string& path) const;

  fs::path folder_;
  std::map<std::string, Entry> entries_;           // by path
  std::map<std::string, std::string> path_of_id_;  // also of runs that have disappeared
  std::size_t unread_ = 0;
};

}  // namespace tarl::serve
