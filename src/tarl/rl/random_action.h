// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/rng.h"
#include "tarl/rl/spec.h"

namespace tarl::rl {

// Uniform over the actions, or over [-1, 1] in each dimension.
inline Action random_action(const ActionSpec& spec, Rng& rng) {
  Action action;
  if (spec.discrete()) {
    action.index = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(spec.count)));
  } else {
    for (int i = 0; i < spec.size; ++i) {
      action.values[static_cast<std::size_t>(i)] = static_cast<float>(2 * rng.uniform() - 1);
    }
  }
  return action;
}

}  // namespace tarl::rl
