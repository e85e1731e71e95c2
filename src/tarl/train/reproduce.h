// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/train/config.h"

namespace tarl::train {

// A command that reproduces a run with these settings from the start: algorithm, environment, and
// every setting that differs from the defaults of those two. Quoted for a shell; --out is left to
// the user. Empty if the environment is a program's own.
std::string reproducing_command(const RunConfig& config, const std::string& program);

}  // namespace tarl::train
