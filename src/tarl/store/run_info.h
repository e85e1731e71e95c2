// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"

namespace tarl::store {

enum class RunStatus { kRunning, kFinished, kStopped, kFailed };
// As run.json spells them.
inline constexpr std::array kRunStatusNames = {"running", "finished", "stopped", "failed"};

inline const char* name_of(RunStatus status) {
  return kRunStatusNames[static_cast<std::size_t>(status)];
}

// run.json: the provenance of a run, which depends on the clock and the machine.
struct RunInfo {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string flags;
  std::string cpu;           // model name
  std::string cpu_features;  // its vector extensions
  std::int64_t seed = 0;
  std::int64_t steps = 0;                        // of the whole run; 0 in files of earlier versions
  std::vector<std::string> command;              // that started the process
  std::string reproduce;                         // a command that repeats the run from the start
  std::string host;                              // on which it was last started or resumed
  std::string program;                           // path; empty in files of earlier versions
  std::map<std::string, std::string> plugins;    // path to name and version
  std::map<std::string, std::string> libraries;  // name to version
  std::string started;                           // UTC, "2026-01-31T12:00:00Z"
  std::string updated;
  double training_seconds = 0;  // over all resumes
  std::int64_t resumes = 0;
  bool exact = true;                      // false: a resume began new episodes, by necessity
  std::int64_t checkpoints = 0;           // since it was last started or resumed
  double longest_checkpoint_seconds = 0;  // longest pause of training for one of them
  RunStatus status = RunStatus::kRunning;
  std::string error;  // why it failed

  bool operator==(const RunInfo&) const = default;
};

// The fields about this build and machine; the caller fills in the rest.
RunInfo describe_build();

// The time, as run.json writes it.
std::string utc_now();

void save_run_info(const fs::path& path, const RunInfo& info);  // durably

// Nothing if there is no file. Throws Error that names the path if it cannot be read.
std::optional<RunInfo> load_run_info(const fs::path& path);

}  // namespace tarl::store
