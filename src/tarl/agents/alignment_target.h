// SPDX-License-Identifier: MIT
#pragma once

#include <array>

namespace tarl::agents {

// The targets that agents with several critics offer for scoring.
enum class AlignmentTarget {
  kClipped,      // the minimum over critics, on which all of them are trained
  kIndependent,  // each critic's own
};
inline constexpr std::array kAlignmentTargetNames = {"clipped", "independent"};

}  // namespace tarl::agents
