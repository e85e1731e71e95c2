// SPDX-License-Identifier: MIT
//
// What main.cpp adds to its own program, and plugin.cpp to the stock program.
#pragma once

#include <tarl/train/plugin.h>

void add_meadow(tarl::envs::Registry& registry);
void add_linear_q(tarl::agents::Registry& registry);
void add_half_support(tarl::align::ScoreRegistry& registry);

inline void add_own_method(tarl::train::Registries& registries) {
  add_half_support(registries.scores);
  add_linear_q(registries.agents);
  add_meadow(registries.environments);
}
