// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tarl::replay {

// The largest of many non-negative values that change one at a time.
class MaxTree {
 public:
  // Values 0..leaves-1, all zero. Requires leaves > 0.
  explicit MaxTree(std::int64_t leaves);

  double largest() const { return nodes_[1]; }

  double value(std::int64_t i) const { return nodes_[static_cast<std::size_t>(base_ + i)]; }

  std::size_t memory_bytes() const { return nodes_.size() * sizeof(double); }

  void set(std::int64_t i, double value);

 private:
  std::int64_t base_;          // first leaf; a power of two
  std::vector<double> nodes_;  // [1] is the root, [2n] and [2n + 1] the children of [n]
};

}  // namespace tarl::replay
