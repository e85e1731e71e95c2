// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/study/results/results.h"

namespace tarl::test {

// A study in memory: scores[environment][algorithm][seed] is a flat curve at that height.
inline study::Results results_of(const std::vector<std::vector<std::vector<double>>>& scores) {
  study::Results results;
  for (std::size_t env = 0; env < scores.size(); ++env) {
    study::Environment environment;
    environment.name = "game/" + std::to_string(env);
    environment.timesteps = {10, 20};
    environment.random_score = {0, 0, "test", true};
    results.environments.push_back(environment);
    results.cells.emplace_back();
    for (const auto& seeds : scores[env]) {
      results.cells.back().emplace_back();
      for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
        study::Run run;
        run.env = environment.name;
        run.seed = static_cast<std::int64_t>(seed);
        run.timesteps = environment.timesteps;
        run.mean_returns = run.curve = {seeds[seed], seeds[seed]};
        results.cells.back().back().push_back(results.runs.size());
        results.runs.push_back(run);
      }
    }
  }
  for (std::size_t a = 0; a < scores[0].size(); ++a) {
    study::Algorithm algorithm;
    algorithm.base = "dqn";
    algorithm.label = a == 0 ? "DQN" : "TA-DQN";
    if (a > 0) algorithm.mode = align::Mode::kFilter;
    if (a > 0) algorithm.reference = 0;
    results.algorithms.push_back(algorithm);
  }
  return results;
}

}  // namespace tarl::test
