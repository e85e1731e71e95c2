// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/rng.h"

namespace tarl::selftest {

// A training run that is to be killed again and again.
struct KillTask {
  std::string algo;
  std::string env;
  std::vector<std::string> command;  // program and arguments, but for --out and --resume
  int kills = 10;
};

struct KillResult {
  int kills = 0;
  int inside_write = 0;                  // of those, while a checkpoint was being written
  int runs = 0;                          // broken runs that came to their end
  std::vector<std::string> differences;  // result files of those that are not the unbroken run's
};

struct KillHooks {
  std::function<bool()> stop;                       // asked between lives
  std::function<void(const KillResult&)> progress;  // after each
};

// Trains the task once unbroken, then again with kill -9 at random instants and a resume after
// each, until so many kills have been made and the run after them has come to its end. More than
// half of the kills are aimed at the writing of a checkpoint; whether one hit is seen from what it
// left behind. Works in `scratch`. Throws Error if a run fails.
KillResult kill_and_compare(const KillTask& task, const fs::path& scratch, Rng rng,
                            const KillHooks& hooks);

}  // namespace tarl::selftest
