// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/align/align.h"
#include "tarl/replay/kinds.h"
#include "tarl/study/results/run.h"

namespace tarl::study {

// One thing that is compared: all runs that differ in environment and seed alone.
struct Algorithm {
  std::string label;  // "TA-DQN b=0.5m"
  std::string base;   // dqn, ddqn, sac, td3, ...
  replay::Kind replay = replay::Kind::kUniform;
  std::optional<align::Mode> mode;  // how alignment scores are used; nothing for a plain agent
  double margin = 0;                // b as a multiple of m
  double batch_ratio = 1;           // batch size over the study's usual one
  std::string variant;              // other settings that set it apart, "key=value, ..."
  std::string align_variant;        // the same for settings of the alignment

  bool aligned() const { return mode.has_value(); }

  bool filters() const { return mode == align::Mode::kFilter; }

  // Positions among the algorithms. An aligned agent's baseline is the same agent without
  // alignment, or what the study compares it with; a plain agent has one where the study says so.
  // Controls are plain agents with a larger batch, which cost as many forward passes.
  std::optional<std::size_t> baseline;
  std::vector<std::size_t> controls;
};

// The study's own words: see read_results.
struct Naming {
  std::map<std::string, std::string> labels;   // automatic label, algo or folder name -> label
  std::map<std::string, std::string> against;  // label -> label of what it is compared with
};

struct Labelled {
  std::vector<Algorithm> algorithms;  // baselines first, by replay strategy, batch and margin
  std::vector<std::size_t> of_run;    // position in `algorithms` of each run
};

// "uniform", "PER", "ReaPER".
std::string replay_title(replay::Kind kind);

// Sorts runs into algorithms by their settings. Settings that vary between runs of one base and
// replay strategy in one environment become part of the label; those that cannot change a curve do
// not.
Labelled label_runs(const std::vector<Run>& runs, const Naming& naming);

}  // namespace tarl::study
