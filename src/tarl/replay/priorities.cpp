// SPDX-License-Identifier: MIT
#include "tarl/replay/priorities.h"

#include <cmath>

namespace tarl::replay {

void require_finite(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw NonFiniteError(
          "an error that is not finite cannot become a priority; lower the learning rate or look "
          "at the rewards and observations");
    }
  }
}

}  // namespace tarl::replay
