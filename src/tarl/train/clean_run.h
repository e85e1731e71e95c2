// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/core/files.h"

namespace tarl::train {

// What a run folder holds for nothing.
struct Unneeded {
  struct Item {
    fs::path path;
    std::uint64_t bytes = 0;
  };

  std::vector<Item> items;
  std::string passed_over;  // why the folder was left alone; empty: it was not

  std::uint64_t bytes() const;
};

// Finds what writes that were killed have left, and the checkpoints of a finished run, unless its
// settings keep them; with `remove` they go. A folder that somebody works on, or may work on, is
// left alone; never throws for one that cannot be read.
Unneeded clean_run(const fs::path& folder, bool remove);

}  // namespace tarl::train
