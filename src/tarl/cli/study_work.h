// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"

namespace tarl::cli {

// `tarl study work`: what a task of a Slurm array on GPUs does.
int work_on_a_study(const Args& args);

}  // namespace tarl::cli
