// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/files.h"

namespace tarl {

// Whether something has that name, even a link that leads nowhere: reading it then says why it
// cannot be read. Unlike fs::exists, never throws.
inline bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

}  // namespace tarl
