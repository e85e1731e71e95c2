// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/files.h"

namespace tarl::store {

// Throws UsageError if that output would take the place of a file that a run keeps in its folder.
void refuse_run_file(const fs::path& out);

}  // namespace tarl::store
