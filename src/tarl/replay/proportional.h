// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/replay/priorities.h"
#include "tarl/replay/sum_tree.h"

namespace tarl::replay {

// The whole state of ProportionalPriorities as checkpoints hold it, on the CPU and on a GPU.
struct ProportionalState {
  std::vector<double> priority, weight;  // [slot] that is filled: p and p^alpha
  double max_priority = 1;
  double new_weight = 1;  // max_priority^alpha

  void save(StateWriter& out) const;
  // Throws Error if the state is not that of such a buffer.
  static ProportionalState load(const StateReader& in, std::int64_t capacity);
};

// Proportional prioritisation (Schaul et al. 2016): p = |error| + eps, weight p^alpha. New
// transitions get the largest p ever set, at first 1. Errors are not clipped.
class ProportionalPriorities final : public Priorities {
 public:
  ProportionalPriorities(double alpha, double eps, std::int64_t capacity);

  static constexpr double kBytesPerSlot = 40;  // at most, for estimates before construction

  void add(std::int64_t slot, bool done) override;
  void update(std::span<const std::int64_t> slots, std::span<const double> values) override;

  double total() const override { return tree_.total(); }

  double weight(std::int64_t slot) const override { return tree_.leaf(slot); }

  Found find(double mass) const override;
  std::size_t memory_bytes() const override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  double priority(std::int64_t slot) const { return priority_[static_cast<std::size_t>(slot)]; }

  double max_priority() const { return max_priority_; }

 private:
  double alpha_;
  double eps_;
  double max_priority_ = 1;
  double new_weight_ = 1;  // max_priority^alpha
  std::int64_t filled_ = 0;
  std::vector<double> priority_;  // [capacity] p
  SumTree tree_;                  // p^alpha
  std::vector<double> scratch_;
};

}  // namespace tarl::replay
