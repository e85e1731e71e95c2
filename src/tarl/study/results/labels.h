// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tarl/align/align.h"
#include "tarl/replay/kinds.h"
#include "tarl/study/results/run.h"
#include "tarl/study/results/source.h"

namespace tarl::study {

// One side of comparisons: all runs that differ only in environment and seed.
struct Algorithm {
  std::string label;      // unique: "TA-DQN b=0.5m", "TA-DQN (new score)"
  std::string condition;  // the study's name, or the inferred one
  std::string tag;        // distinguishes it from the same condition elsewhere; may be empty
  std::string base;       // dqn, ddqn, sac, td3, ...
  replay::Kind replay = replay::Kind::kUniform;
  std::optional<align::Mode> mode;  // how alignment scores are used; nothing for a plain agent
  double margin = 0;                // b as a multiple of m
  double batch_ratio = 1;           // batch size over that of the reference, or the usual one
  std::string variant;              // other settings that set it apart, "key=value, ..."
  std::string align_variant;        // the same for settings of the alignment

  bool aligned() const { return mode.has_value(); }

  bool filters() const { return mode == align::Mode::kFilter; }

  // Positions among the algorithms. The reference: defined by its study or, for an aligned agent
  // without a study, the same agent without alignment. Controls are agents with a larger batch,
  // which cost as many forward passes. Versions are the same condition under another tag.
  std::optional<std::size_t> reference;
  std::vector<std::size_t> controls, versions;
};

struct Labelled {
  // For one study, in its order; otherwise references first, by replay strategy, batch and margin.
  std::vector<Algorithm> algorithms;
  std::vector<std::size_t> of_run;   // position in `algorithms` of each run
  std::vector<std::string> remarks;  // which runs are distinguished by their folders
};

// "uniform", "PER", "ReaPER".
std::string replay_title(replay::Kind kind);

// Sorts runs into algorithms. A run's condition is its study's, or inferred from its settings. The
// label of its source, or its own, becomes the name of the condition, in brackets if the label
// applies to several. Runs of one condition, environment and seed are distinguished by their source
// or by the folder in which they differ. Without sources all runs are of one folder that is no
// study.
Labelled label_runs(const std::vector<Run>& runs,
                    const std::vector<Source>& sources = std::vector<Source>(1));

// Which algorithms are compared: fills reference, controls and versions. Part of label_runs().
void link_algorithms(std::vector<Algorithm>& algorithms, const std::vector<Source>& sources,
                     const std::vector<std::optional<std::size_t>>& source_of_study);

}  // namespace tarl::study
