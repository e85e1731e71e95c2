// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/drawing/canvas.h"

namespace tarl::envs::classic {

inline constexpr Colour kPaper = {248, 248, 245};
inline constexpr Colour kDark = {45, 50, 60};
inline constexpr Colour kBlue = {60, 110, 180};
inline constexpr Colour kOrange = {225, 130, 60};

}  // namespace tarl::envs::classic
