// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/store/logs.h"
#include "tarl/train/config.h"
#include "tarl/train/evaluate.h"
#include "tarl/train/means.h"

namespace tarl::train {

// What a run logs, on whatever device it is computed: training episodes as they end, and at every
// evaluation (and every log.every steps) one row with the means of the updates since the last row.
class RunRecorder {
 public:
  // The config and the logs outlive the recorder.
  RunRecorder(const RunConfig& config, store::RunLogs& logs) : config_(config), logs_(logs) {}

  Means& means() { return means_; }

  // A training episode that ended at `step`.
  void episode(double score, std::int64_t length, std::int64_t step);

  // A run begins or resumes here.
  void begin(std::int64_t step, std::int64_t updates) { logs_.begin_timing(step, updates); }

  // An evaluation made at `step`, after `updates` updates. Returns whether it is the best so far.
  bool evaluation(std::int64_t step, const EvaluationScores& scores, std::int64_t updates);

  // The metrics to log between evaluations.
  void interval(std::int64_t step, std::int64_t updates);

  double episode_return() const;  // mean over the last training episodes

  double last_evaluation() const { return last_evaluation_; }

  // Mean alignment of the last logged interval, as in progress.csv; before the first, of the
  // updates so far. -1 if none is computed. Not the running mean of the current interval: right
  // after a target sync that is a single update whose targets agree by construction.
  double alignment() const;

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  using Row = std::vector<std::pair<std::string, double>>;

  Row rollout(std::int64_t step) const;
  void write(std::int64_t step, std::int64_t updates, Row row);

  const RunConfig& config_;
  store::RunLogs& logs_;
  Means means_;
  std::deque<double> recent_returns_;
  std::deque<double> recent_lengths_;
  double last_evaluation_ = 0;
  double last_alignment_ = -1;
};

}  // namespace tarl::train
