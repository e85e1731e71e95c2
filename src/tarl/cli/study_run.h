// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"

namespace tarl::cli {

// `tarl study run`: completes a study, or with --dry-run says what that takes.
int run_a_study(const Args& args);

}  // namespace tarl::cli
