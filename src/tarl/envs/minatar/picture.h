// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "tarl/rl/environment.h"

namespace tarl::envs::minatar {

inline constexpr int kCellPixels = 16;

// A grid as a picture: one colour per channel on a dark background, with thin lines between cells.
// If channels overlap in a cell, the lower one (the player's is 0) is shown.
rl::Image draw_grid(int channels,
                    const std::function<bool(int row, int column, int channel)>& is_set);

}  // namespace tarl::envs::minatar
