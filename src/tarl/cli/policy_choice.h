// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/train/policy.h"

namespace tarl::cli {

// Which agent of a run folder a verb is asked for.

Option best_option();
Option checkpoint_option();

// Throws UsageError where both are given.
train::PolicyChoice policy_choice(const Args& args);

// One line on stderr.
void say(const std::string& line);

}  // namespace tarl::cli
