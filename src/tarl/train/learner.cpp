// SPDX-License-Identifier: MIT
#include "tarl/train/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tarl/core/error.h"

namespace tarl::train {

namespace {

void add_alignment(const align::Scores& scores, const Kept& kept, Means& means) {
  using rl::Metric;
  // The paper's score, whatever ranked the rows, so that the metrics of all runs are comparable.
  const std::vector<double>& alignment = scores.alignment();
  double kept_sum = 0, kept_min = 1;
  for (const std::int32_t row : kept.rows) {
    const double score = alignment[static_cast<std::size_t>(row)];
    kept_sum += score;
    kept_min = std::min(kept_min, score);
  }
  const double rows = static_cast<double>(alignment.size());
  const double all_sum = std::accumulate(alignment.begin(), alignment.end(), 0.0);
  std::array<int, align::kScenarioCount> shares{};
  for (const align::Scenario scenario : scores.scenario) {
    ++shares[static_cast<std::size_t>(scenario)];
  }
  means.add(Metric::kAlignmentMean, kept_sum / static_cast<double>(kept.rows.size()));
  means.add(Metric::kAlignmentMin, kept_min);
  means.add(Metric::kAlignmentMeanAll, all_sum / rows);
  means.add(Metric::kAlignmentMinAll, *std::min_element(alignment.begin(), alignment.end()));
  for (int i = 0; i < align::kScenarioCount; ++i) {
    const auto scenario = static_cast<Metric>(rl::index_of(Metric::kScenarioPerfect) + i);
    means.add(scenario, shares[static_cast<std::size_t>(i)] / rows);
  }
  means.add(Metric::kDiscardedShare, 1.0 - static_cast<double>(kept.rows.size()) / rows);
  means.add(Metric::kNonfiniteCount, scores.nonfinite);
}

void add_terminals(const rl::Batch& batch, const Kept& kept, Means& means) {
  const auto terminals = std::count_if(kept.rows.begin(), kept.rows.end(), [&](std::int32_t row) {
    return batch.terminal(static_cast<std::size_t>(row));
  });
  double all = 0;
  for (int row = 0; row < batch.rows; ++row) all += batch.terminal(static_cast<std::size_t>(row));
  means.add(rl::Metric::kTerminalShare,
            static_cast<double>(terminals) / static_cast<double>(kept.rows.size()));
  means.add(rl::Metric::kTerminalShareAll, all / batch.rows);
}

}  // namespace

Learner::Learner(const RunConfig& config, rl::Agent& agent, rl::Replay& replay,
                 const rl::EnvSpec& spec, const Rng& root)
    : agent_(agent),
      replay_(replay),
      rule_{config.align.mode, static_cast<int>(config.batch_size), config.oversampling(),
            config.align.kappa},
      always_scores_(config.needs_scores()),
      trace_interval_(config.align.trace),
      skips_nonfinite_(config.on_nan == OnNan::kSkip),
      schedule_(config.learning_rate_schedule),
      scorer_(config, root),
      sample_rng_(root.fork("sample")),
      noise_rng_(root.fork("noise")) {
  sample_.batch = rl::Batch(spec.obs, spec.action, rule_.batch_size + rule_.oversampling);
}

void Learner::step(double progress, Means& means) {
  replay_.sample(rule_.batch_size + rule_.oversampling, progress, sample_rng_, sample_);
  if (schedule_ != Schedule::kConstant) agent_.set_rate_share(rate_share(schedule_, progress));
  ++updates_;
  ++updates_since_sync_;
  ++target_lag_;
  needs_scores_ = always_scores_ || is_traced(updates_);
  learned_ = false;
  try {
    learn(means);
    learned_ = true;
  } catch (const NonFiniteError&) {
    if (!skips_nonfinite_) throw;
    means.add(rl::Metric::kSkippedUpdates, 1);
  }
}

void Learner::look(std::int64_t ahead, double progress, Rng& sample_rng, Rng& noise_rng) {
  replay_.sample(rule_.batch_size + rule_.oversampling, progress, sample_rng, sample_);
  needs_scores_ = true;
  learned_ = false;
  const rl::Assessment& candidates = agent_.assess(sample_.batch, needs_scores_, noise_rng);
  choose(rule_, score(candidates, updates_ + ahead).score, sample_.weight, kept_);
}

// README "The idea" quotes these lines. Priorities of all m + b candidates come before the update:
// they are errors of the network that scored them.
void Learner::learn(Means& means) {
  const rl::Assessment& candidates = agent_.assess(sample_.batch, needs_scores_, noise_rng_);
  const align::Scores& scores = score(candidates);
  const Kept& kept = choose(rule_, scores.score, sample_.weight, kept_);
  replay_.update_priorities(sample_, priorities(candidates, scores));
  record(agent_.update(kept.rows, kept.weight, noise_rng_), scores, kept, means);
}

// Refuses NaN and Inf before they reach the priorities or the parameters.
const align::Scores& Learner::score(const rl::Assessment& candidates, std::int64_t update) {
  candidates_ = &candidates;
  const auto errors = candidates.abs_error;
  const auto bad = std::count_if(errors.begin(), errors.end(),
                                 [](float error) { return !std::isfinite(error); });
  if (bad > 0) throw_nonfinite(update, static_cast<int>(bad), static_cast<int>(errors.size()));
  if (!needs_scores_) return scores_;
  align::score_candidates({candidates.rows, candidates.critics, candidates.q, candidates.y_online,
                           candidates.y_offline},
                          scores_);
  // A trace alone never stops a run.
  if (always_scores_ && scores_.nonfinite > 0) {
    throw_nonfinite(update, scores_.nonfinite, candidates.rows);
  }
  scorer_.replace(candidates, sample_.batch, update, scores_);
  return scores_;
}

void Learner::throw_nonfinite(std::int64_t update, int bad, int rows) {
  throw NonFiniteError("update " + std::to_string(update) + ": " + std::to_string(bad) + " of " +
                       std::to_string(rows) +
                       " sampled transitions have an error that is not finite");
}

std::span<const float> Learner::priorities(const rl::Assessment& candidates,
                                           const align::Scores& scores) {
  if (rule_.mode != align::Mode::kPrioritize) return candidates.abs_error;
  score_priorities_.assign(scores.score.begin(), scores.score.end());
  return score_priorities_;
}

void Learner::record(const rl::UpdateStats& stats, const align::Scores& scores, const Kept& kept,
                     Means& means) const {
  for (const auto& [metric, value] : stats) means.add(metric, value);
  if (!always_scores_) return;
  add_alignment(scores, kept, means);
  add_terminals(sample_.batch, kept, means);
  means.add(rl::Metric::kTargetLag, target_lag_);
}

void Learner::sync_target(double tau) {
  agent_.sync_target(tau);
  target_lag_ *= 1 - tau;
  if (tau == 1.0) {
    updates_since_sync_ = 0;
    replay_.on_target_sync();
  }
}

void Learner::save(StateWriter& out) const {
  LearnerState{sample_rng_, noise_rng_, updates_, updates_since_sync_, target_lag_}.save(out);
}

void Learner::load(const StateReader& in) {
  const LearnerState state = LearnerState::load(in);
  sample_rng_ = state.sample_rng;
  noise_rng_ = state.noise_rng;
  updates_ = state.updates;
  updates_since_sync_ = state.updates_since_sync;
  target_lag_ = state.target_lag;
}

}  // namespace tarl::train
