// SPDX-License-Identifier: MIT
#include "bindings/played_actions.h"

#include <algorithm>

#include "tarl/core/error.h"

namespace tarl::python {

namespace {

constexpr const char* kActions = "actions";

[[noreturn]] void refuse() {
  throw Error(
      "the saved episode has actions that its environment does not take; "
      "resume with env_state='restart'");
}

}  // namespace

std::size_t PlayedActions::size() const {
  return spec_.discrete() ? indices_.size() : values_.size() / static_cast<std::size_t>(spec_.size);
}

rl::Action PlayedActions::operator[](std::size_t i) const {
  rl::Action action;
  if (spec_.discrete()) {
    action.index = indices_[i];
  } else {
    const auto size = static_cast<std::size_t>(spec_.size);
    std::copy_n(values_.data() + i * size, size, action.values.begin());
  }
  return action;
}

void PlayedActions::add(const rl::Action& action) {
  if (spec_.discrete()) {
    indices_.push_back(action.index);
  } else {
    values_.insert(values_.end(), action.values.begin(), action.values.begin() + spec_.size);
  }
}

void PlayedActions::clear() {
  indices_.clear();
  values_.clear();
}

void PlayedActions::save(StateWriter& out) const {
  if (spec_.discrete()) {
    out.put(kActions, indices_);
  } else {
    out.put(kActions, values_);
  }
}

void PlayedActions::load(const StateReader& in) {
  if (spec_.discrete()) {
    indices_ = in.get_vector<std::int32_t>(kActions);
    for (const std::int32_t index : indices_) {
      if (index < 0 || index >= spec_.count) refuse();
    }
  } else {
    values_ = in.get_vector<float>(kActions);
    if (values_.size() % static_cast<std::size_t>(spec_.size) != 0) refuse();
  }
}

}  // namespace tarl::python
