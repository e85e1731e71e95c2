// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tarl/study/results/labels.h"
#include "tarl/study/results/random_scores.h"
#include "tarl/study/results/run.h"
#include "tarl/study/results/source.h"

namespace tarl::study {

// The kind of a problem.
enum class ProblemKind {
  kDamaged,     // a file that cannot be read
  kFailed,      // a run that ended with an error
  kUnfinished,  // a run that has not reached its end
  kMissing,     // a run that should exist
  kUntrained,   // a run without an update
  kLeftOut,     // runs that cannot be compared, links that are not followed
  kNotDrawn,    // a figure or table that the study covers
  kNote,        // how runs are distinguished or put on common steps
};
// Titles in the singular; append an s for the plural.
inline constexpr std::array kProblemTitles = {
    "damaged file",  "failed run",           "unfinished run", "missing run",
    "untrained run", "left-out run or link", "undrawn figure", "remark"};

// Something a reader of the tables must know: a run that is missing, failed, unfinished, or left
// out. Nothing is dropped silently.
struct Problem {
  std::string where;  // folder as in Run::folder, or "env / condition / seed"
  std::string what;
  ProblemKind kind = ProblemKind::kNote;
};

// One environment: the evaluation steps shared by its runs, and its random score.
struct Environment {
  std::string name;
  std::vector<std::int64_t> timesteps;
  RandomScore random_score;

  // Evaluations before this position precede all learning: they are drawn but not counted.
  std::size_t first_trained = 0;
  std::string sharing;  // how runs with different evaluation steps were aligned; may be empty
};

// Everything below some folders, sorted into environments and algorithms.
struct Results {
  std::vector<Source> sources;  // the folders, in the order they were named
  std::string study;            // name of the study, or of the folders
  std::string title, question;  // may be empty
  // Tables and figures of the paper that the studies cover; nothing if no folder is a study's.
  std::optional<std::vector<std::string>> covers;
  std::vector<Run> runs;
  std::vector<Environment> environments;
  std::vector<Algorithm> algorithms;
  std::vector<Problem> problems;
  bool partial = false;  // no run is complete: scores end where the shortest run does

  // Positions in `runs` that enter the tables, [environment][algorithm], by seed. A cell has
  // either runs that have learned, or only runs without an update.
  std::vector<std::vector<std::vector<std::size_t>>> cells;

  // The folder of a run's files.
  fs::path path_of(const Run& run) const {
    return run.source < sources.size() ? sources[run.source].path / run.below_source : run.folder;
  }

  const std::vector<std::size_t>& cell(std::size_t environment, std::size_t algorithm) const {
    return cells[environment][algorithm];
  }
};

struct ReadOptions {
  // Also tabulate unfinished runs, as far as they got.
  bool include_unfinished = false;
  std::vector<std::string> labels{};  // of the folders, in their order; empty: none
};

// Reads every run folder (docs/run-folder.md) at or below `folders`. A folder with a study.toml is
// a study: its file names the conditions, their references, the expected runs and what of the paper
// they cover. Conditions in other folders are inferred from the runs' settings. Beside the runs
// there may be baselines.json:
//   {"minatar/breakout": {"mean": 0.4, "se": 0.01, "episodes": 1000}}
// A damaged run becomes a Problem; throws Error if one of `folders` is not a folder.
Results read_results(const std::vector<fs::path>& folders, const ReadOptions& options = {});
Results read_results(const fs::path& folder, const ReadOptions& options = {});

}  // namespace tarl::study
