// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tarl/cli/args.h"

namespace tarl::cli {

// Options of other libraries' command lines (rl_zoo3, CleanRL), for users who are used to them.

// The setting that an option stands for, on verbs that take --set: "--learning-rate 1e-3" is
// "--set learning_rate=1e-3".
std::optional<std::string> setting_of(const std::string& option);

// What to use instead of an option that a verb lacks; empty if nothing is known.
std::string hint_for(const std::string& verb, const std::string& option);

}  // namespace tarl::cli
