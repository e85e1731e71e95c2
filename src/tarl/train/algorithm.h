// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tarl::train {

// What a name such as "ta-dqn+per" asks for. There is no separate target-aligned code:
// "ta-" only sets the oversampling margin to 1.
struct Algorithm {
  std::string base = "dqn";        // dqn, ddqn, sac, td3, ddpg
  bool aligned = false;            // "ta-" in front
  std::string replay = "uniform";  // "+per", "+reaper"

  bool is_dqn() const { return base == "dqn" || base == "ddqn"; }

  bool is_td3() const { return base == "td3" || base == "ddpg"; }

  std::string name() const;
};

// Throws UsageError with the nearest names.
Algorithm parse_algorithm(std::string_view name);

// Every name parse_algorithm knows, plain ones first.
std::vector<std::string> algorithm_names();

}  // namespace tarl::train
