// SPDX-License-Identifier: MIT
//
// What main.cpp puts into a program of its own, and plugin.cpp into the stock program.
#pragma once

#include <tarl/agents/registry.h>
#include <tarl/align/score_registry.h>
#include <tarl/envs/registry.h>

void add_meadow(tarl::envs::Registry& registry);
void add_linear_q(tarl::agents::Registry& registry);
void add_half_support(tarl::align::ScoreRegistry& registry);
