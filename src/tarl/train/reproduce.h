// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/train/config.h"

namespace tarl::train {

// A command that makes a run with these settings from the start: algorithm, environment, and every
// setting that differs from what those two choose. Ready for a shell; --out is the user's. Empty
// where the environment is a program's own.
std::string reproducing_command(const RunConfig& config, const std::string& program);

}  // namespace tarl::train
