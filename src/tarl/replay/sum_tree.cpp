// SPDX-License-Identifier: MIT
#include "tarl/replay/sum_tree.h"

#include <algorithm>
#include <bit>

#include "tarl/core/error.h"

namespace tarl::replay {

SumTree::SumTree(std::int64_t leaves)
    : leaves_(leaves),
      base_(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(leaves)))),
      nodes_(static_cast<std::size_t>(2 * base_)) {
  require(leaves > 0, "a sum tree needs leaves");
}

std::span<const double> SumTree::leaf_values(std::int64_t count) const {
  return std::span<const double>(nodes_).subspan(static_cast<std::size_t>(base_),
                                                 static_cast<std::size_t>(count));
}

void SumTree::add_up(std::int64_t node) {
  const std::size_t n = static_cast<std::size_t>(node);
  nodes_[n] = nodes_[2 * n] + nodes_[2 * n + 1];
}

void SumTree::set(std::int64_t i, double weight) {
  nodes_[static_cast<std::size_t>(base_ + i)] = weight;
  for (std::int64_t node = (base_ + i) / 2; node > 0; node /= 2) add_up(node);
}

void SumTree::set_many(std::span<const std::int64_t> indices, std::span<const double> weights) {
  touched_.clear();
  for (std::size_t k = 0; k < indices.size(); ++k) {
    nodes_[static_cast<std::size_t>(base_ + indices[k])] = weights[k];
    touched_.push_back(base_ + indices[k]);
  }
  std::sort(touched_.begin(), touched_.end());
  // All touched nodes are on one level, so the climb ends for all of them at the root.
  while (!touched_.empty() && touched_.front() > 1) {
    for (std::int64_t& node : touched_) node /= 2;
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const std::int64_t node : touched_) add_up(node);
  }
}

void SumTree::set_range(std::int64_t first, std::span<const double> weights) {
  if (weights.empty()) return;
  std::copy(weights.begin(), weights.end(), nodes_.begin() + base_ + first);
  std::int64_t low = base_ + first;
  std::int64_t high = low + static_cast<std::int64_t>(weights.size()) - 1;
  while (low > 1) {
    low /= 2;
    high /= 2;
    for (std::int64_t node = low; node <= high; ++node) add_up(node);
  }
}

SumTree::Found SumTree::find(double mass) const {
  std::size_t node = 1;
  while (node < static_cast<std::size_t>(base_)) {
    const double left = nodes_[2 * node];
    node *= 2;
    // A right subtree without weight is never entered, however the mass was rounded.
    if (mass >= left && nodes_[node + 1] > 0) {
      mass -= left;
      ++node;
    }
  }
  return {static_cast<std::int64_t>(node) - base_, mass};
}

}  // namespace tarl::replay
