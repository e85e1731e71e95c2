// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>

#include "tarl/core/error.h"

namespace tarl::agents::actor_critic {

// Throws NonFiniteError where a value of an update on so many rows is not finite.
inline void require_finite(const char* what, double value, int rows) {
  if (std::isfinite(value)) return;
  throw NonFiniteError("the " + std::string(what) + " is not finite (batch of " +
                       std::to_string(rows) +
                       "); no step was taken on it. Look for rewards or observations that are "
                       "not finite, or lower learning_rate");
}

}  // namespace tarl::agents::actor_critic
