// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/train/policy.h"

namespace tarl::cli {

// The agent of a run folder that the options choose.

Option best_option();
Option checkpoint_option();

// Throws UsageError if both are given.
train::PolicyChoice policy_choice(const Args& args);

// One line on stderr.
void say(const std::string& line);

}  // namespace tarl::cli
