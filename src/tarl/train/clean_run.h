// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/core/files.h"

namespace tarl::train {

// Files in a run folder that nothing needs any more.
struct Unneeded {
  struct Item {
    fs::path path;
    std::uint64_t bytes = 0;
  };

  std::vector<Item> items;
  std::string passed_over;  // why the folder was left alone; empty if it was not

  std::uint64_t bytes() const;
};

// Finds leftovers of interrupted writes and the checkpoints of a finished run, unless its settings
// keep them; with `remove`, deletes them. A folder that is, or may be, in use is left alone; never
// throws for an unreadable one.
Unneeded clean_run(const fs::path& folder, bool remove);

}  // namespace tarl::train
