// SPDX-License-Identifier: MIT
//
// The metrics that updates report, on the CPU and on a GPU: progress.csv and TensorBoard hold the
// mean of each over the updates between two evaluations. docs/run-folder.md lists this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tarl::rl {

// Checkpoints know metrics by name, device programs by their order up to kTargetLag.
enum class Metric : std::int32_t {
  kLoss,
  kGradNorm,
  kQMean,
  kAlignmentMean,
  kAlignmentMin,
  kAlignmentMeanAll,
  kAlignmentMinAll,
  kScenarioPerfect,
  kScenarioUndershoot,
  kScenarioOvershoot,
  kScenarioMisaligned,
  kDiscardedShare,
  kTerminalShare,
  kTerminalShareAll,
  kNonfiniteCount,
  kTargetLag,
  kActorLoss,
  kCriticLoss,
  kEntropyCoefficient,
  kEntropyCoefficientLoss,
  kSkippedUpdates,
};

struct MetricInfo {
  const char* name;  // column of progress.csv and TensorBoard tag
  const char* meaning;
};

inline constexpr std::array kMetrics = {
    MetricInfo{"train/loss", "loss of the kept rows (DQN)"},
    MetricInfo{"train/grad_norm", "norm of the gradient before clipping (DQN)"},
    MetricInfo{"train/q_mean", "mean prediction for the actions taken in the kept rows (DQN)"},
    MetricInfo{"tarl/alignment_mean", "mean alignment of the kept rows"},
    MetricInfo{"tarl/alignment_min", "smallest alignment of the kept rows"},
    MetricInfo{"tarl/alignment_mean_all", "mean alignment of all candidates"},
    MetricInfo{"tarl/alignment_min_all", "smallest alignment of all candidates"},
    MetricInfo{"tarl/scenario_perfect", "share of candidates whose errors are equal"},
    MetricInfo{"tarl/scenario_undershoot", "share with equal signs, the offline error smaller"},
    MetricInfo{"tarl/scenario_overshoot", "share with equal signs, the offline error larger"},
    MetricInfo{"tarl/scenario_misaligned", "share with opposite signs, or one error zero"},
    MetricInfo{"tarl/discarded_frac", "share of candidates not learned from"},
    MetricInfo{"tarl/terminal_share", "share of the kept rows whose target is the reward alone"},
    MetricInfo{"tarl/terminal_share_all", "the same share of all candidates"},
    MetricInfo{"tarl/nonfinite_count", "candidates with a NaN or infinite error"},
    MetricInfo{"tarl/target_lag",
               "mean age in updates of the parameters that the target was mixed from"},
    MetricInfo{"train/actor_loss", "loss of the actor (SAC, TD3)"},
    MetricInfo{"train/critic_loss", "loss of the critics (SAC, TD3)"},
    MetricInfo{"train/ent_coef", "entropy coefficient (SAC)"},
    MetricInfo{"train/ent_coef_loss", "loss of the entropy coefficient where it is learned (SAC)"},
    MetricInfo{"tarl/skipped_updates", "updates left out for a NaN or infinity (on_nan = skip)"},
};
inline constexpr int kMetricCount = static_cast<int>(kMetrics.size());
static_assert(kMetricCount == static_cast<int>(Metric::kSkippedUpdates) + 1);

constexpr int index_of(Metric metric) {
  return static_cast<int>(metric);
}

constexpr const char* name_of(Metric metric) {
  return kMetrics[static_cast<std::size_t>(metric)].name;
}

constexpr std::optional<Metric> find_metric(std::string_view name) {
  for (int i = 0; i < kMetricCount; ++i) {
    if (name == kMetrics[static_cast<std::size_t>(i)].name) return static_cast<Metric>(i);
  }
  return std::nullopt;
}

}  // namespace tarl::rl
