// SPDX-License-Identifier: MIT
#include "tarl/train/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tarl/core/error.h"
#include "tarl/replay/draw.h"

namespace tarl::train {

Learner::Learner(const RunConfig& config, rl::Agent& agent, rl::Replay& replay,
                 const rl::EnvSpec& spec, const Rng& root)
    : config_(config),
      agent_(agent),
      replay_(replay),
      batch_size_(static_cast<int>(config.batch_size)),
      oversampling_(config.oversampling()),
      needs_scores_(config.needs_scores()),
      sample_rng_(root.fork("sample")),
      noise_rng_(root.fork("noise")),
      kept_(static_cast<std::size_t>(batch_size_)),
      weight_(static_cast<std::size_t>(batch_size_)) {
  sample_.batch = rl::Batch(spec.obs, spec.action, batch_size_ + oversampling_);
  std::iota(kept_.begin(), kept_.end(), 0);
}

void Learner::step(double progress, Means& means) {
  replay_.sample(batch_size_ + oversampling_, progress, sample_rng_, sample_);
  ++updates_;
  ++updates_since_sync_;
  try {
    learn(means);
  } catch (const NonFiniteError&) {
    if (config_.on_nan != "skip") throw;
    means.add("tarl/skipped_updates", 1);
  }
}

void Learner::learn(Means& means) {
  const rl::Evaluation& candidates = agent_.evaluate(sample_.batch, needs_scores_, noise_rng_);
  refuse_nonfinite(candidates.abs_error);
  choose_rows(candidates);
  choose_weights();
  if (config_.align.mode == "prioritize") {
    score_priority_.assign(scores_.score.begin(), scores_.score.end());
    replay_.update_priorities(sample_, score_priority_);
  } else {
    replay_.update_priorities(sample_, candidates.abs_error);  // all m + b
  }
  const rl::UpdateStats& stats = agent_.update(kept_, weight_, noise_rng_);
  for (const auto& [name, value] : stats) means.add(std::string("train/") + name, value);
  if (needs_scores_) log_alignment(means);
}

// Before anything of it reaches the priorities or the parameters.
void Learner::refuse_nonfinite(std::span<const float> errors) const {
  const auto bad = std::count_if(errors.begin(), errors.end(),
                                 [](float error) { return !std::isfinite(error); });
  if (bad > 0) throw_nonfinite(static_cast<int>(bad), static_cast<int>(errors.size()));
}

void Learner::throw_nonfinite(int bad, int rows) const {
  throw NonFiniteError("update " + std::to_string(updates_) + ": " + std::to_string(bad) + " of " +
                       std::to_string(rows) +
                       " sampled transitions have an error that is not finite");
}

// The m rows to learn from, in the order drawn: with no oversampling all of them.
void Learner::choose_rows(const rl::Evaluation& candidates) {
  if (!needs_scores_) return;
  align::score_candidates({candidates.rows, candidates.critics, candidates.q, candidates.y_online,
                           candidates.y_offline},
                          scores_);
  if (scores_.nonfinite > 0) throw_nonfinite(scores_.nonfinite, candidates.rows);
  if (oversampling_ == 0) return;
  kept_ = align::keep_best(scores_.score, batch_size_);
  std::sort(kept_.begin(), kept_.end());
}

// Importance weights normalised over the kept rows; the modes weight and scale multiply in A^kappa.
void Learner::choose_weights() {
  replay::normalise_weights(sample_.weight, kept_, weight_);
  const bool weighs = config_.align.mode == "weight";
  if (!weighs && config_.align.mode != "scale") return;
  double total = 0;
  std::vector<double> powers(kept_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    powers[i] = std::pow(scores_.score[static_cast<std::size_t>(kept_[i])], config_.align.kappa);
    total += powers[i];
  }
  // "weight" renormalises to a mean of one; with every score zero nothing is learned.
  const double factor = weighs && total > 0 ? static_cast<double>(kept_.size()) / total : 1.0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    weight_[i] = static_cast<float>(weight_[i] * powers[i] * factor);
  }
}

void Learner::log_alignment(Means& means) const {
  double kept_sum = 0, kept_min = 1;
  for (const std::int32_t row : kept_) {
    const double score = scores_.score[static_cast<std::size_t>(row)];
    kept_sum += score;
    kept_min = std::min(kept_min, score);
  }
  const double rows = static_cast<double>(scores_.score.size());
  const double all_sum = std::accumulate(scores_.score.begin(), scores_.score.end(), 0.0);
  std::array<int, align::kScenarioCount> shares{};
  for (const align::Scenario scenario : scores_.scenario)
    ++shares[static_cast<std::size_t>(scenario)];
  means.add("tarl/alignment_mean", kept_sum / static_cast<double>(kept_.size()));
  means.add("tarl/alignment_min", kept_min);
  means.add("tarl/alignment_mean_all", all_sum / rows);
  means.add("tarl/alignment_min_all",
            *std::min_element(scores_.score.begin(), scores_.score.end()));
  constexpr std::array<const char*, align::kScenarioCount> kNames = {
      "tarl/scenario_perfect", "tarl/scenario_undershoot", "tarl/scenario_overshoot",
      "tarl/scenario_misaligned"};
  for (std::size_t i = 0; i < kNames.size(); ++i) means.add(kNames[i], shares[i] / rows);
  means.add("tarl/discarded_frac", 1.0 - static_cast<double>(kept_.size()) / rows);
  means.add("tarl/nonfinite_count", scores_.nonfinite);
  means.add("tarl/target_lag", static_cast<double>(updates_since_sync_));
}

void Learner::sync_target(double tau) {
  agent_.sync_target(tau);
  if (tau == 1.0) {
    updates_since_sync_ = 0;
    replay_.on_target_sync();
  }
}

void Learner::save(StateWriter& out) const {
  out.put("sample_rng", sample_rng_);
  out.put("noise_rng", noise_rng_);
  out.put("updates", updates_);
  out.put("updates_since_sync", updates_since_sync_);
}

void Learner::load(const StateReader& in) {
  in.get("sample_rng", sample_rng_);
  in.get("noise_rng", noise_rng_);
  in.get("updates", updates_);
  in.get("updates_since_sync", updates_since_sync_);
}

}  // namespace tarl::train
