// SPDX-License-Identifier: MIT
#include "tarl/replay/alignment_priorities.h"

#include <algorithm>
#include <cmath>

namespace tarl::replay {

AlignmentPriorities::AlignmentPriorities(double kappa, double eps, std::int64_t capacity)
    : kappa_(kappa), eps_(eps), new_weight_(std::pow(1.0 + eps, kappa)), tree_(capacity) {}

void AlignmentPriorities::add(std::int64_t slot, bool /*done*/) {
  tree_.set(slot, new_weight_);
  filled_ = std::max(filled_, slot + 1);
}

void AlignmentPriorities::update(std::span<const std::int64_t> slots,
                                 std::span<const double> values) {
  require(slots.size() == values.size(), "one score for each slot");
  require_finite(values);
  scratch_.clear();
  for (const double score : values) scratch_.push_back(std::pow(score + eps_, kappa_));
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
  out.put("weight", tree_.leaf_values(filled_));
}

void AlignmentPriorities::load(const StateReader& in) {
  const auto weight = in.get_vector<double>("weight");
  if (static_cast<std::int64_t>(weight.size()) > tree_.leaves()) {
    throw Error("the saved priorities do not fit this run's buffer_size");
  }
  tree_ = SumTree(tree_.leaves());
  tree_.set_range(0, weight);
  filled_ = static_cast<std::int64_t>(weight.size());
}

}  // namespace tarl::replay
