// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/train/config.h"

namespace tarl::cli {

// The options by which train, show-config and bench name a run.
std::vector<Option> config_options();
train::ConfigRequest config_request(const Args& args);

// A line for the user, on stderr.
void tell(const std::string& line);

// --threads, 1 unless given. More than there are processors are used but make a run slower: a line
// on stderr says so.
int compute_threads(const Args& args);

}  // namespace tarl::cli
