// SPDX-License-Identifier: MIT
#include "tarl/train/trace.h"

#include <string>

#include "tarl/core/error.h"
#include "tarl/train/schedules.h"

namespace tarl::train {

namespace {

double updates_of(const RunConfig& config) {
  if (config.steps <= config.learning_starts) return 0;
  const std::int64_t times =
      multiples_passed(config.learning_starts, config.steps, config.train_freq);
  return static_cast<double>(times) * static_cast<double>(config.gradient_steps);
}

}  // namespace

void refuse_long_trace(const RunConfig& config) {
  if (config.align.trace == 0) return;
  const store::TraceShape shape{config.batch_size + config.oversampling(),
                                config.algorithm().agent().critics(config.agent), 1};
  const auto each = static_cast<double>(store::trace_bytes(shape));
  const double all = updates_of(config) * each, most = static_cast<double>(store::kMostTrace);
  if (all / static_cast<double>(config.align.trace) <= most) return;
  const auto megabytes = [](double bytes) {
    return std::to_string(static_cast<std::int64_t>(bytes / 1e6)) + " MB";
  };
  throw UsageError("align.trace = " + std::to_string(config.align.trace) + " would write " +
                   megabytes(all / static_cast<double>(config.align.trace)) + ", at most " +
                   megabytes(most) + " are; choose align.trace = " +
                   std::to_string(static_cast<std::int64_t>(all / most) + 1) + " or more");
}

namespace {

// The trace of the update whose number and lag are `ahead` of the learner's counts.
store::Trace trace_of(const Learner& learner, std::int64_t ahead, std::int64_t step,
                      std::int64_t capacity) {
  const rl::Assessment& candidates = learner.last_assessment();
  const rl::Sample& sample = learner.last_sample();
  const align::Scores& scores = learner.last_scores();
  const auto rows = static_cast<std::size_t>(candidates.rows);
  store::Trace trace;
  trace.shape = {candidates.rows, candidates.critics, scores.paper.empty() ? 0 : 1};
  trace.update = {learner.updates() + ahead};
  trace.step = {step};
  trace.lag = {learner.updates_since_sync() + ahead};
  trace.slot.assign(sample.index.begin(), sample.index.begin() + candidates.rows);
  // Transition n lies in slot n % capacity, and the newest is number step - 1.
  for (const std::int64_t slot : trace.slot) {
    const std::int64_t age = (step - 1 - slot) % capacity;
    trace.age.push_back(age < 0 ? age + capacity : age);
  }
  trace.reward.assign(sample.batch.reward.begin(), sample.batch.reward.begin() + candidates.rows);
  trace.weight.assign(sample.weight.begin(), sample.weight.begin() + candidates.rows);
  trace.q.assign(candidates.q.begin(), candidates.q.end());
  trace.y_online.assign(candidates.y_online.begin(), candidates.y_online.end());
  trace.y_offline.assign(candidates.y_offline.begin(), candidates.y_offline.end());
  trace.score = scores.score;
  trace.paper_score = scores.paper;
  trace.kept.assign(rows, 0);
  for (const std::int32_t row : learner.last_kept()) trace.kept[static_cast<std::size_t>(row)] = 1;
  for (std::size_t row = 0; row < rows; ++row) {
    trace.terminal.push_back(sample.batch.terminal(row) ? 1 : 0);
    trace.scenario.push_back(static_cast<std::uint8_t>(scores.scenario[row]));
  }
  return trace;
}

}  // namespace

store::Trace looked_at(const Learner& learner, std::int64_t step, std::int64_t capacity) {
  return trace_of(learner, 1, step, capacity);
}

store::Trace traced_update(const Learner& learner, std::int64_t step, std::int64_t capacity) {
  require(learner.is_traced(), "an update that the trace asks for");
  return trace_of(learner, 0, step, capacity);
}

}  // namespace tarl::train
