// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tarl/align/align.h"
#include "tarl/core/rng.h"
#include "tarl/rl/agent.h"
#include "tarl/rl/replay.h"
#include "tarl/train/choose.h"
#include "tarl/train/config.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/means.h"
#include "tarl/train/scorer.h"

namespace tarl::train {

// One gradient step, the same for every agent: sample, score, keep, update.
class Learner {
 public:
  // The agent and the replay outlive the learner.
  Learner(const RunConfig& config, rl::Agent& agent, rl::Replay& replay, const rl::EnvSpec& spec,
          const Rng& root);

  // `progress` in [0, 1] is the fraction of the run done. Adds the update's metrics to `means`.
  // Throws NonFiniteError before the optimiser step when a value is NaN or infinite.
  void step(double progress, Means& means);

  // Draws, scores and keeps what the update `ahead` updates from now would if nothing was learned
  // until then, with the caller's own streams; see last_...(). Later steps are unaffected.
  void look(std::int64_t ahead, double progress, Rng& sample_rng, Rng& noise_rng);

  // Copies or blends the target network and restarts the lag count.
  void sync_target(double tau);

  std::int64_t updates() const { return updates_; }

  // Counted since the last hard sync of the target.
  std::int64_t updates_since_sync() const { return updates_since_sync_; }

  // Mean age, in updates, of the parameters that the target is a mixture of.
  double target_lag() const { return target_lag_; }

  // The batch of the last step, for a dump when something went wrong.
  const rl::Sample& last_sample() const { return sample_; }

  // Its predictions, targets and scores, valid until the next step. Online targets and scores exist
  // if the update needs them or is traced.
  const rl::Assessment& last_assessment() const { return *candidates_; }

  const align::Scores& last_scores() const { return scores_; }

  // Its rows that the last step learned from, ascending.
  std::span<const std::int32_t> last_kept() const { return kept_.rows; }

  // Whether align.trace selects the last step; one skipped for a NaN or Inf has no trace.
  bool is_traced() const { return learned_ && is_traced(updates_); }

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  bool is_traced(std::int64_t update) const {
    return trace_interval_ > 0 && update % trace_interval_ == 0;
  }

  void learn(Means& means);

  const align::Scores& score(const rl::Assessment& candidates) {
    return score(candidates, updates_);
  }

  const align::Scores& score(const rl::Assessment& candidates, std::int64_t update);
  std::span<const float> priorities(const rl::Assessment& candidates, const align::Scores& scores);
  void record(const rl::UpdateStats& stats, const align::Scores& scores, const Kept& kept,
              Means& means) const;
  [[noreturn]] static void throw_nonfinite(std::int64_t update, int bad, int rows);

  rl::Agent& agent_;
  rl::Replay& replay_;
  const ChoiceRule rule_;
  const bool always_scores_;
  const std::int64_t trace_interval_;
  const bool skips_nonfinite_;
  const Schedule schedule_;
  bool needs_scores_ = false;  // in this step
  Scorer scorer_;
  Rng sample_rng_;
  Rng noise_rng_;
  std::int64_t updates_ = 0;
  std::int64_t updates_since_sync_ = 0;
  double target_lag_ = 0;  // mean age, in updates, of the parameters in the target
  bool learned_ = false;   // in the last step
  const rl::Assessment* candidates_ = nullptr;

  // The data of one step; members only so that steps do not allocate.
  rl::Sample sample_;
  align::Scores scores_;
  Kept kept_;
  std::vector<float> score_priorities_;
};

}  // namespace tarl::train
