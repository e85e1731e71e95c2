// SPDX-License-Identifier: MIT
#include "tarl/store/own_files.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/core/is_there.h"
#include "tarl/store/run_files.h"

namespace tarl::store {

void refuse_run_file(const fs::path& out) {
  const fs::path folder = out.parent_path();
  const std::string name = out.filename().string();
  if (std::ranges::find(kRunFiles, name) == kRunFiles.end()) return;
  if (!is_there((folder.empty() ? fs::path(".") : folder) / kConfigFile)) return;
  throw UsageError(out.string() +
                   " is the name of a file that the run there has of its own; choose another");
}

}  // namespace tarl::store
