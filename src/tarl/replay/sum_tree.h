// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tarl::replay {

// Prefix sums of non-negative weights, in double precision. A parent is always its left child plus
// its right child, never adjusted by differences: the whole tree is a function of its leaves.
class SumTree {
 public:
  struct Found {
    std::int64_t leaf = 0;
    double rest = 0;  // mass left after the leaves before it
  };

  // Leaves 0..leaves-1, all zero. Requires leaves > 0.
  explicit SumTree(std::int64_t leaves);

  std::int64_t leaves() const { return leaves_; }

  double total() const { return nodes_[1]; }

  double leaf(std::int64_t i) const { return nodes_[static_cast<std::size_t>(base_ + i)]; }

  std::span<const double> leaf_values(std::int64_t count) const;  // the first `count`

  std::size_t memory_bytes() const { return nodes_.size() * sizeof(double); }

  void set(std::int64_t i, double weight);

  // Sets many leaves and recomputes each ancestor once. Of duplicate indices the last counts.
  void set_many(std::span<const std::int64_t> indices, std::span<const double> weights);

  // Sets the leaves first, first + 1, ...
  void set_range(std::int64_t first, std::span<const double> weights);

  // The smallest leaf whose inclusive prefix sum exceeds `mass`. If rounding pushes the mass past
  // the total, the last leaf with a weight. Requires total() > 0.
  Found find(double mass) const;

 private:
  void add_up(std::int64_t node);

  std::int64_t leaves_;
  std::int64_t base_;                  // first leaf; a power of two
  std::vector<double> nodes_;          // [1] is the root, [2n] and [2n + 1] the children of [n]
  std::vector<std::int64_t> touched_;  // scratch of set_many
};

}  // namespace tarl::replay
