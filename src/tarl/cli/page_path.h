// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/core/files.h"

namespace tarl::cli {

// Where --out puts a page, empty without it. Throws UsageError if that is a file that is not named
// as a page, such as a run's config.toml, which would be lost.
fs::path page_path(const Args& args);

}  // namespace tarl::cli
