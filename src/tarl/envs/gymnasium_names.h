// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Gymnasium's names for the environments of the families that need a simulator: known even if it
// was not built, so that the error for "Hopper-v4" can say how to get MuJoCo.
namespace tarl::envs {

// The names of one environment ("mujoco/hopper": "Hopper-v4").
std::vector<std::string> gymnasium_aliases(std::string_view name);

// Those of all environments with this prefix ("mujoco/").
std::vector<std::string> gymnasium_names(std::string_view prefix);

}  // namespace tarl::envs
