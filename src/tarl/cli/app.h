// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tarl::cli {

// Runs a command line (without the program's name) and returns the exit code. The only place
// that catches errors.
int run_app(const std::vector<std::string>& words);

}  // namespace tarl::cli
