// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/rng.h"

namespace tarl::selftest {

// A training run to be killed repeatedly.
struct KillTask {
  std::string algo;
  std::string env;
  std::vector<std::string> command;  // program and arguments, without --out and --resume
  int kills = 10;
};

struct KillResult {
  int kills = 0;
  int inside_write = 0;                  // of those, while a checkpoint was being written
  int runs = 0;                          // interrupted runs that were finished
  std::vector<std::string> differences;  // result files that differ from the clean run's
};

struct KillHooks {
  std::function<bool()> stop;                       // checked between restarts
  std::function<void(const KillResult&)> progress;  // after each
};

// Trains the task once uninterrupted, then again with kill -9 at random instants and a resume after
// each, until the given number of kills has been made and the last run has finished. More than half
// of the kills are aimed at the writing of a checkpoint; leftovers show whether one hit. Works in
// `scratch`. Throws Error if a run fails.
KillResult kill_and_compare(const KillTask& task, const fs::path& scratch, Rng rng,
                            const KillHooks& hooks);

}  // namespace tarl::selftest
