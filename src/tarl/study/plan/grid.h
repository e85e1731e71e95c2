// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/study/plan/study.h"

namespace tarl::study {

// One run of a study, with everything an executor needs.
struct PlannedRun {
  std::string env;
  std::string label;  // of its condition
  std::int64_t seed = 0;
  fs::path folder;  // including the study's
  train::RunConfig config;

  std::string name() const;  // "minatar/breakout TA-DQN seed 0"
};

// Changes to a study from the command line; empty means no change.
struct StudyRequest {
  std::optional<std::int64_t> seeds{};
  std::optional<std::string> steps{};
  std::vector<std::string> envs{};  // only these, by name or alias
  std::vector<std::string> set{};   // "key=value", for every condition
};

// Algorithms by name in some environments: each aligned one is compared with the plain one of the
// same base and replay, if that is present, too. Throws UsageError.
Study study_of(const std::string& name, const std::vector<std::string>& algos,
               const std::vector<std::string>& envs, const std::optional<std::string>& preset = {});

// Where a run is below the study's folder: <env>/<slug of the label>/seed<k>.
fs::path run_folder(const std::string& env, const Condition& condition, std::int64_t seed);

// The requested study, with environments under their canonical names. Throws UsageError.
Study apply_request(Study study, const StudyRequest& request);

// Every run, seed by seed, so that early results cover the whole grid. Throws UsageError.
std::vector<PlannedRun> plan(const Study& study, const fs::path& out);

}  // namespace tarl::study
