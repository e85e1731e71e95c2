// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/train/config.h"

namespace tarl::cli {

// The options with which train, show-config and bench specify a run.
std::vector<Option> config_options();
train::ConfigRequest config_request(const Args& args);

// A line for the user, on stderr.
void tell(const std::string& line);

// --threads, 1 by default. More threads than processors are allowed but slow a run down: a line on
// stderr says so.
int compute_threads(const Args& args);

}  // namespace tarl::cli
