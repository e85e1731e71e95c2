// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tarl/study/results/baselines.h"
#include "tarl/study/results/labels.h"
#include "tarl/study/results/run.h"

namespace tarl::study {

// Something a reader of the tables must know: a run that is missing, failed, unfinished, or left
// out. Nothing is dropped silently.
struct Problem {
  std::string where;  // folder below the study, or "env / algorithm / seed"
  std::string what;
};

// One environment: the evaluation steps shared by its runs, and its random baseline.
struct Environment {
  std::string name;
  std::vector<std::int64_t> timesteps;
  Baseline baseline;
};

// Everything below a folder, sorted into environments and algorithms.
struct Results {
  fs::path folder;
  std::string study;            // the study's name
  std::string title, question;  // what it is about and what it asks; may be empty
  std::vector<Run> runs;
  std::vector<Environment> environments;
  std::vector<Algorithm> algorithms;
  std::vector<Problem> problems;
  bool partial = false;  // no run is complete: scores are cut to what all runs have reached

  // Positions in `runs` that enter the tables, [environment][algorithm], by seed.
  std::vector<std::vector<std::vector<std::size_t>>> cells;

  const std::vector<std::size_t>& cell(std::size_t environment, std::size_t algorithm) const {
    return cells[environment][algorithm];
  }
};

struct ReadOptions {
  // Also tabulate runs that are still going, all runs cut to the shortest of their environment.
  bool include_unfinished = false;
};

// Reads every run folder (docs/run-folder.md) below `folder`, and two optional files beside them:
//   baselines.json  {"minatar/breakout": {"mean": 0.4, "se": 0.01, "episodes": 1000}}
//   study.json      {"name", "title", "question": text,
//                    "labels": {automatic label, `algo` setting or folder name: label},
//                    "against": {label: label of what it is compared with},
//                    "runs": [folder of every run there should be]}
// A damaged run becomes a Problem; throws Error when `folder` is no folder.
Results read_results(const fs::path& folder, const ReadOptions& options = {});

}  // namespace tarl::study
