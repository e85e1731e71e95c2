// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/study/results/run.h"

namespace tarl::study {

// Evaluation steps on which runs of one environment can be compared.
struct CommonSteps {
  std::vector<std::int64_t> timesteps;
  std::vector<std::size_t> left_out;  // positions of runs that do not overlap with the longest
  std::size_t shortest = 0;           // position of the run that ends the steps
  std::int64_t longest = 0;           // last evaluation of the longest run
  std::size_t grids = 0;              // distinct step sequences among the runs that count
};

// The coarsest of the runs' own steps, from where all have begun to where the first ends. Runs
// without an update do not count unless there are no others. A run that ends before the longest
// one's first evaluation is left out, never the longest.
CommonSteps common_steps(std::span<const Run* const> runs);

// A run's scores at other steps: its own if it has them, otherwise linearly interpolated; its first
// before that. Ends with the run's last evaluation.
statistics::Curve scores_at(const Run& run, const std::vector<std::int64_t>& steps);

}  // namespace tarl::study
