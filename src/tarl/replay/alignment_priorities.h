// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/replay/priorities.h"
#include "tarl/replay/sum_tree.h"

namespace tarl::replay {

// The whole state of AlignmentPriorities as checkpoints hold it, on the CPU and on a GPU.
struct AlignmentState {
  std::vector<double> weight;  // [slot] that is filled

  void save(StateWriter& out) const;
  // Throws Error if the state is larger than such a buffer.
  static AlignmentState load(const StateReader& in, std::int64_t capacity);
};

// Prioritisation by a score A in [0, 1] that the learner computes, with weight (A + eps)^kappa: the
// alternative to filtering in the paper's appendix A. Scores are refreshed when drawn; new
// transitions have A = 1, and a hard target sync, after which both targets agree, sets all to 1.
class AlignmentPriorities final : public Priorities {
 public:
  AlignmentPriorities(double kappa, double eps, std::int64_t capacity);

  static constexpr double kBytesPerSlot = 32;  // at most, for estimates before construction

  void add(std::int64_t slot, bool done) override;
  void update(std::span<const std::int64_t> slots, std::span<const double> values) override;

  double total() const override { return tree_.total(); }

  double weight(std::int64_t slot) const override { return tree_.leaf(slot); }

  Found find(double mass) const override;
  void on_target_sync() override;

  std::size_t memory_bytes() const override { return tree_.memory_bytes(); }

  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

 private:
  double kappa_;
  double eps_;
  double new_weight_;  // of A = 1
  std::int64_t filled_ = 0;
  SumTree tree_;
  std::vector<double> scratch_;
};

}  // namespace tarl::replay
