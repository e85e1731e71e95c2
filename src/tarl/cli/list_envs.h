// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/core/formats/json.h"
#include "tarl/envs/registry.h"

namespace tarl::cli {

// The table of `tarl list envs [FILTER]`: names, sizes of observations and actions, and names
// elsewhere. A filter keeps rows with a name that contains it, ignoring case; throws UsageError if
// there is none.
std::string env_table(const envs::Registry& registry, const std::string& filter);

// The same for programs.
Json env_json(const envs::Registry& registry, const std::string& filter);

}  // namespace tarl::cli
