// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/train/run.h"

namespace tarl::fleet {

// train::run_training() on the GPU: a fleet of one run. It stops between two slices of steps.
// Throws UsageError where no program can compute the run, Error where there is no device; nothing
// is on disk then.
train::RunOutcome train_on_device(const train::RunRequest& request);

}  // namespace tarl::fleet
