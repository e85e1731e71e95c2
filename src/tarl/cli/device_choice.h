// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"

namespace tarl::cli {

// Whether --device asks for the GPU. Throws UsageError where it names no device.
bool on_gpu(const Args& args);

}  // namespace tarl::cli
