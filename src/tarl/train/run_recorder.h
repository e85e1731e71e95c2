// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>

#include "tarl/core/state.h"
#include "tarl/store/logs.h"
#include "tarl/train/config.h"
#include "tarl/train/evaluate.h"
#include "tarl/train/means.h"

namespace tarl::train {

// What a run tells its logs, whoever computes it: training episodes as they end, and at every
// evaluation one row with the means of the updates since the last.
class RunRecorder {
 public:
  // The config and the logs outlive the recorder.
  RunRecorder(const RunConfig& config, store::RunLogs& logs) : config_(config), logs_(logs) {}

  Means& means() { return means_; }

  // A training episode that ended at `step`.
  void episode(double score, std::int64_t length, std::int64_t step);

  // An evaluation made at `step`, after `updates` updates.
  void evaluation(std::int64_t step, const EvaluationScores& scores, std::int64_t updates);

  double episode_return() const;  // mean over the last training episodes

  double last_evaluation() const { return last_evaluation_; }

  // Mean alignment of the interval logged last, as progress.csv has it; before the first, that of
  // the updates so far. -1 where none is computed. Not the running mean of the interval under way:
  // right after a target sync that would be the one update whose targets agree by construction.
  double alignment() const;

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  const RunConfig& config_;
  store::RunLogs& logs_;
  Means means_;
  std::deque<double> recent_returns_;
  std::deque<double> recent_lengths_;
  double last_evaluation_ = 0;
  double last_alignment_ = -1;
};

}  // namespace tarl::train
