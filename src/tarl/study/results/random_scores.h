// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tarl/core/files.h"

namespace tarl::study {

// The file of the values that a study measured.
inline constexpr const char* kRandomScoresFile = "baselines.json";

// The mean return of a uniformly random policy and its source: R_min of the nAUC.
struct RandomScore {
  double mean = 0;
  double standard_error = 0;  // 0: unknown
  std::string source;
  bool known = false;
};

// A canonical spelling of an environment: family and game in lower case, without separators and
// version: "MinAtar/SpaceInvaders-v1" and "minatar/space_invaders" are both
// "minatar/spaceinvaders".
std::string environment_key(std::string_view env);

// baselines.json of a study, by environment_key. Empty if there is no file; throws Error if it
// cannot be read.
std::map<std::string, RandomScore> read_random_scores(const fs::path& file);

// Measured values or values from the literature, for the paper's environments.
std::optional<RandomScore> built_in_random_score(std::string_view env);

}  // namespace tarl::study
