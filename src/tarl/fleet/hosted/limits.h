// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/train/config.h"

namespace tarl::fleet {

// The limit on updates that a run exceeds in programs with batched kernels, in words that follow "a
// fleet of X has"; empty if it exceeds none. `most_act_rows` bounds the observations acted on at a
// time: n_envs, episodes.
std::string why_not_updates(const train::RunConfig& config, std::int64_t most_act_rows);

// The same for the fleet settings, in programs that compute in f32 or fp16.
std::string why_not_fleet(const train::FleetConfig& fleet);

std::string at_most(const char* what, std::int64_t most);

}  // namespace tarl::fleet
