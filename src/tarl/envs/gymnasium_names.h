// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

// What Gymnasium calls the environments of the families that need a simulator: known whether or not
// that is built, so that "Hopper-v4" is answered with what brings MuJoCo.
namespace tarl::envs {

// Of one environment ("mujoco/hopper": "Hopper-v4").
std::vector<std::string> gymnasium_aliases(std::string_view name);

// Of all environments whose names begin so ("mujoco/").
std::vector<std::string> gymnasium_names(std::string_view prefix);

}  // namespace tarl::envs
