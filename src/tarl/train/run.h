// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "tarl/core/files.h"
#include "tarl/train/config.h"
#include "tarl/train/loop.h"

namespace tarl::train {

struct RunRequest {
  RunConfig config;
  fs::path folder;
  bool resume = false;
  int threads = 1;
  std::function<bool()> stop;  // polled in every phase; true: write a checkpoint and return
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> notice;  // one line for the user (damage found, ...)
};

enum class RunEnd { kFinished, kAlreadyFinished, kStopped };

struct RunOutcome {
  RunEnd end = RunEnd::kFinished;
  std::int64_t step = 0;
  double last_evaluation = 0;
};

// Trains one run in its folder (docs/run-folder.md), from the start or from its newest good
// checkpoint, until it is finished or `stop` says so. Touches nothing of the process: no signal
// handlers, no global state. Throws UsageError when the folder holds another run, Error when it
// cannot be used or is in use.
//
// An open margin is measured first (margin.h), unless the folder holds the run already: it goes on
// with the margin it has.
RunOutcome run_training(const RunRequest& request);

// runs/<env>/<algo>/seed<k>, with the margin in the name where the algorithm's name does not say
// it; "auto" while it is open.
fs::path default_folder(const RunConfig& config);

// The config a run folder was started with. Throws Error when there is none.
RunConfig stored_config(const fs::path& folder);

}  // namespace tarl::train
