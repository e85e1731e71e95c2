// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tarl::envs::mujoco {

// The MJCF text of a model ("ant"), compiled into the binary from the files that setup fetched.
const char* model_xml(const std::string& name);

}  // namespace tarl::envs::mujoco
