// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/replay/config.h"

namespace tarl::train {

enum class Base { kDqn, kDdqn, kSac, kTd3, kDdpg };
inline constexpr std::array kBaseNames = {"dqn", "ddqn", "sac", "td3", "ddpg"};

// What a name such as "ta-dqn+per" asks for: it only chooses settings, which decide. There is no
// separate target-aligned code: "ta-" sets the oversampling margin to 1.
struct Algorithm {
  Base base = Base::kDqn;
  bool aligned = false;                          // "ta-" in front
  replay::Kind replay = replay::Kind::kUniform;  // "+per", "+reaper"

  bool is_dqn() const { return base == Base::kDqn || base == Base::kDdqn; }

  bool is_td3() const { return base == Base::kTd3 || base == Base::kDdpg; }

  std::string base_name() const { return kBaseNames[static_cast<std::size_t>(base)]; }

  std::string name() const;
};

// Throws UsageError with the nearest names.
Algorithm parse_algorithm(std::string_view name);

// Every name parse_algorithm knows, plain ones first.
std::vector<std::string> algorithm_names();

}  // namespace tarl::train
