// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/train/run.h"

namespace tarl::fleet {

// train::run_training() on the GPU: a fleet of one run, which can be stopped between slices. Throws
// UsageError if no program can run the config, Error if there is no device; neither leaves anything
// on disk.
// is on disk then.
train::RunOutcome train_on_device(const train::RunRequest& request);

}  // namespace tarl::fleet
