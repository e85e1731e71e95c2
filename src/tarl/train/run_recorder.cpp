// SPDX-License-Identifier: MIT
#include "tarl/train/run_recorder.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tarl/train/extend.h"
#include "tarl/train/schedules.h"

namespace tarl::train {

namespace {

template <class Values>
double mean_of(const Values& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void RunRecorder::episode(double score, std::int64_t length, std::int64_t step) {
  logs_.episode(score, length, step);
  recent_returns_.push_back(score);
  recent_lengths_.push_back(static_cast<double>(length));
  if (static_cast<std::int64_t>(recent_returns_.size()) > config_.stats_window_size) {
    recent_returns_.pop_front();
    recent_lengths_.pop_front();
  }
}

RunRecorder::Row RunRecorder::rollout(std::int64_t step) const {
  Row row = {{"rollout/ep_rew_mean", mean_of(recent_returns_)},
             {"rollout/ep_len_mean", mean_of(recent_lengths_)}};
  if (config_.algorithm().agent().epsilon_greedy) {
    row.emplace_back(
        "rollout/exploration_rate",
        exploration_rate(step, steps_in_force(config_, step), config_.exploration_initial_eps,
                         config_.exploration_final_eps, config_.exploration_fraction));
  }
  return row;
}

bool RunRecorder::evaluation(std::int64_t step, const EvaluationScores& scores,
                             std::int64_t updates) {
  last_evaluation_ = mean_of(scores.returns);
  const bool best = logs_.evaluation(step, scores.returns, scores.lengths);
  Row row = rollout(step);
  row.emplace_back("eval/mean_reward", last_evaluation_);
  row.emplace_back("eval/mean_ep_length", mean_of(scores.lengths));
  row.emplace_back("eval/cut_episodes", static_cast<double>(scores.cut));
  write(step, updates, std::move(row));
  return best;
}

void RunRecorder::interval(std::int64_t step, std::int64_t updates) {
  write(step, updates, rollout(step));
}

void RunRecorder::write(std::int64_t step, std::int64_t updates, Row row) {
  last_alignment_ = means_.peek(rl::Metric::kAlignmentMean, last_alignment_);
  row.emplace_back("train/n_updates", static_cast<double>(updates));
  if (config_.learning_rate_schedule != Schedule::kConstant) {
    row.emplace_back("train/learning_rate",
                     config_.learning_rate() * rate_share(config_.learning_rate_schedule, step,
                                                          steps_in_force(config_, step)));
  }
  for (auto& entry : means_.take()) row.push_back(std::move(entry));
  logs_.progress(step, row);
  logs_.timing(step, updates);
}

double RunRecorder::episode_return() const {
  return mean_of(recent_returns_);
}

double RunRecorder::alignment() const {
  return last_alignment_ >= 0 ? last_alignment_ : means_.peek(rl::Metric::kAlignmentMean, -1);
}

void RunRecorder::save(StateWriter& out) const {
  out.put("last_evaluation", last_evaluation_);
  out.put("last_alignment", last_alignment_);
  out.put("recent_returns", std::vector<double>(recent_returns_.begin(), recent_returns_.end()));
  out.put("recent_lengths", std::vector<double>(recent_lengths_.begin(), recent_lengths_.end()));
  StateWriter means = out.group("means");
  means_.save(means);
}

void RunRecorder::load(const StateReader& in) {
  in.get("last_evaluation", last_evaluation_);
  in.get("last_alignment", last_alignment_);
  const auto returns = in.get_vector<double>("recent_returns");
  const auto lengths = in.get_vector<double>("recent_lengths");
  recent_returns_.assign(returns.begin(), returns.end());
  recent_lengths_.assign(lengths.begin(), lengths.end());
  means_.load(in.group("means"));
}

}  // namespace tarl::train
