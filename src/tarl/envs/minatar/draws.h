// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/rng.h"

namespace tarl::envs::minatar {

// Random numbers for the games from a stream of the run, one number of the stream per draw.
struct RngDraws {
  Rng& rng;

  TARL_HOST_DEVICE double real() { return rng.uniform(); }

  TARL_HOST_DEVICE int index(int n) {
    return static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
  }
};

}  // namespace tarl::envs::minatar
