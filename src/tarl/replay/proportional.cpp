// SPDX-License-Identifier: MIT
#include "tarl/replay/proportional.h"

#include <algorithm>
#include <cmath>

namespace tarl::replay {

ProportionalPriorities::ProportionalPriorities(double alpha, double eps, std::int64_t capacity)
    : alpha_(alpha), eps_(eps), priority_(static_cast<std::size_t>(capacity)), tree_(capacity) {}

void ProportionalPriorities::add(std::int64_t slot, bool /*done*/) {
  priority_[static_cast<std::size_t>(slot)] = max_priority_;
  tree_.set(slot, new_weight_);
  filled_ = std::max(filled_, slot + 1);
}

void ProportionalPriorities::update(std::span<const std::int64_t> slots,
                                    std::span<const double> values) {
  require(slots.size() == values.size(), "one error for each slot");
  require_finite(values);
  scratch_.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double p = std::fabs(values[i]) + eps_;
    priority_[static_cast<std::size_t>(slots[i])] = p;
    scratch_.push_back(std::pow(p, alpha_));
    max_priority_ = std::max(max_priority_, p);
  }
  tree_.set_many(slots, scratch_);
  new_weight_ = std::pow(max_priority_, alpha_);
}

Priorities::Found ProportionalPriorities::find(double mass) const {
  const std::int64_t slot = tree_.find(mass).leaf;
  return {slot, tree_.leaf(slot)};
}

std::size_t ProportionalPriorities::memory_bytes() const {
  return priority_.size() * sizeof(double) + tree_.memory_bytes();
}

void ProportionalPriorities::save(StateWriter& out) const {
  const std::span<const double> weight = tree_.leaf_values(filled_);
  ProportionalState{.priority = {priority_.begin(), priority_.begin() + filled_},
                    .weight = {weight.begin(), weight.end()},
                    .max_priority = max_priority_,
                    .new_weight = new_weight_}
      .save(out);
}

void ProportionalPriorities::load(const StateReader& in) {
  const ProportionalState state = ProportionalState::load(in, tree_.leaves());
  std::fill(priority_.begin(), priority_.end(), 0.0);
  std::copy(state.priority.begin(), state.priority.end(), priority_.begin());
  tree_ = SumTree(tree_.leaves());
  tree_.set_range(0, state.weight);
  filled_ = std::ssize(state.priority);
  max_priority_ = state.max_priority;
  new_weight_ = state.new_weight;
}

void ProportionalState::save(StateWriter& out) const {
  out.put("priority", priority);
  out.put("weight", weight);
  out.put("max_priority", max_priority);
  out.put("new_weight", new_weight);
}

ProportionalState ProportionalState::load(const StateReader& in, std::int64_t capacity) {
  ProportionalState state;
  state.priority = in.get_vector<double>("priority");
  state.weight = in.get_vector<double>("weight");
  if (std::ssize(state.priority) > capacity || state.weight.size() != state.priority.size()) {
    throw Error("the saved priorities do not fit this run's buffer_size");
  }
  in.get("max_priority", state.max_priority);
  in.get("new_weight", state.new_weight);
  return state;
}

}  // namespace tarl::replay
