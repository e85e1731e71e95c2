// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/rl/spec.h"

namespace tarl::python {

// The actions of an open episode, as a checkpoint holds them: an rl::Action has room for many more
// values than an environment takes, and an episode may be long.
class PlayedActions {
 public:
  explicit PlayedActions(const rl::ActionSpec& spec) : spec_(spec) {}

  std::size_t size() const;
  rl::Action operator[](std::size_t i) const;
  void add(const rl::Action& action);
  void clear();

  void save(StateWriter& out) const;

  // Throws Error where the stored ones are none of the environment's.
  void load(const StateReader& in);

 private:
  const rl::ActionSpec& spec_;
  std::vector<std::int32_t> indices_;  // of discrete actions
  std::vector<float> values_;          // of continuous ones, spec_.size each
};

}  // namespace tarl::python
