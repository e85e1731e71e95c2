// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/train/config.h"

namespace tarl::fleet {

// What programs with batched kernels have of updates, in a few words after "a fleet of X has";
// empty where the run asks for no more. Observations acted on at a time: n_envs, episodes.
std::string why_not_updates(const train::RunConfig& config, std::int64_t most_act_rows);

// The same of the device, for programs that compute in f32 or fp16, a block at a time.
std::string why_not_fleet(const train::FleetConfig& fleet);

std::string at_most(const char* what, std::int64_t most);

}  // namespace tarl::fleet
