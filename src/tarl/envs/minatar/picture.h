// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "tarl/rl/environment.h"

namespace tarl::envs::minatar {

inline constexpr int kCellPixels = 16;

// A grid as a picture: one colour a channel on a dark ground, thin lines between the cells. Where
// channels meet in a cell, the lower one (the player's is 0) is seen.
rl::Image draw_grid(int channels,
                    const std::function<bool(int row, int column, int channel)>& is_set);

}  // namespace tarl::envs::minatar
