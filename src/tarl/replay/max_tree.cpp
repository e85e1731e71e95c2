// SPDX-License-Identifier: MIT
#include "tarl/replay/max_tree.h"

#include <algorithm>
#include <bit>

#include "tarl/core/error.h"

namespace tarl::replay {

MaxTree::MaxTree(std::int64_t leaves)
    : base_(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(leaves)))),
      nodes_(static_cast<std::size_t>(2 * base_)) {
  require(leaves > 0, "a max tree needs leaves");
}

void MaxTree::set(std::int64_t i, double value) {
  std::size_t node = static_cast<std::size_t>(base_ + i);
  nodes_[node] = value;
  while (node > 1) {
    node /= 2;
    const double larger = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
    if (nodes_[node] == larger) return;  // nothing above changes either
    nodes_[node] = larger;
  }
}

}  // namespace tarl::replay
