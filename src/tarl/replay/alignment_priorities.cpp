// SPDX-License-Identifier: MIT
#include "tarl/replay/alignment_priorities.h"

#include <algorithm>

#include "tarl/replay/alignment_weight.h"

namespace tarl::replay {

AlignmentPriorities::AlignmentPriorities(double kappa, double eps, std::int64_t capacity)
    : kappa_(kappa), eps_(eps), new_weight_(alignment_weight(1, eps, kappa)), tree_(capacity) {}

void AlignmentPriorities::add(std::int64_t slot, bool /*done*/) {
  tree_.set(slot, new_weight_);
  filled_ = std::max(filled_, slot + 1);
}

void AlignmentPriorities::update(std::span<const std::int64_t> slots,
                                 std::span<const double> values) {
  require(slots.size() == values.size(), "one score for each slot");
  require_finite(values);
  scratch_.clear();
  for (const double score : values) scratch_.push_back(alignment_weight(score, eps_, kappa_));
  tree_.set_many(slots, scratch_);
}

Priorities::Found AlignmentPriorities::find(double mass) const {
  const std::int64_t slot = tree_.find(mass).leaf;
  return {slot, tree_.leaf(slot)};
}

void AlignmentPriorities::on_target_sync() {
  scratch_.assign(static_cast<std::size_t>(filled_), new_weight_);
  tree_.set_range(0, scratch_);
}

void AlignmentPriorities::save(StateWriter& out) const {
  const std::span<const double> weight = tree_.leaf_values(filled_);
  AlignmentState{{weight.begin(), weight.end()}}.save(out);
}

void AlignmentPriorities::load(const StateReader& in) {
  const AlignmentState state = AlignmentState::load(in, tree_.leaves());
  tree_ = SumTree(tree_.leaves());
  tree_.set_range(0, state.weight);
  filled_ = std::ssize(state.weight);
}

void AlignmentState::save(StateWriter& out) const {
  out.put("weight", weight);
}

AlignmentState AlignmentState::load(const StateReader& in, std::int64_t capacity) {
  AlignmentState state{in.get_vector<double>("weight")};
  if (std::ssize(state.weight) > capacity) {
    throw Error("the saved priorities do not fit this run's buffer_size");
  }
  return state;
}

}  // namespace tarl::replay
