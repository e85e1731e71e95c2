// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "tarl/study/plan/grid.h"

namespace tarl::study {

// The return of uniformly random actions: R_min of the normalised area under the curve.
struct MeasuredRandomScore {
  double mean = 0;
  double standard_error = 0;
  std::int64_t episodes = 0;
};

struct RandomPolicyLimits {
  std::int64_t episodes = 200;
  std::int64_t steps = 200'000;  // no episode begins after this many
};

// Plays whole scoring episodes (full games on Atari) with its own stream: the same environment
// always gives the same score. Nothing if `stop` returned true.
std::optional<MeasuredRandomScore> measure_random_policy(const std::string& env,
                                                         const envs::EnvConfig& config,
                                                         const RandomPolicyLimits& limits,
                                                         const std::function<bool()>& stop);

// Measures every environment of the runs that <out>/baselines.json does not have yet and adds it:
// {"minatar/breakout": {"mean": 0.4, "se": 0.01, "episodes": 200}}. False if `stop` returned true.
bool measure_random_scores(const fs::path& out, std::span<const PlannedRun> runs,
                           const std::function<bool()>& stop);

}  // namespace tarl::study
