// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tarl/agents/registry.h"
#include "tarl/replay/config.h"

namespace tarl::train {

// What a name such as "ta-dqn+per" stands for. A name only chooses settings, and only settings
// matter. There is no separate target-aligned code: "ta-" sets the oversampling margin to 1.
struct Algorithm {
  std::string base = "dqn";                      // of the registry of agents
  bool aligned = false;                          // has the prefix "ta-"
  replay::Kind replay = replay::Kind::kUniform;  // "+per", "+reaper"

  const agents::Entry& agent() const { return agents::registry().find(base); }

  bool discrete() const { return agent().actions == agents::Actions::kDiscrete; }

  std::string name() const;
};

// Throws UsageError with the nearest names.
Algorithm parse_algorithm(std::string_view name);

// Every name parse_algorithm knows, plain ones first.
std::vector<std::string> algorithm_names();

// Splits a name of that form, whether or not this program has such an agent.
struct NameParts {
  bool aligned = false;
  std::string base;
  std::string replay;  // "per"; empty if the name has none
};

NameParts name_parts(std::string_view algorithm);

// The rank of a base among the agents, by which tables are sorted; unknown ones come last.
std::size_t rank_of_base(std::string_view base);

}  // namespace tarl::train
