// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tarl::replay {

// The place of a stored transition in its episode, on the CPU, on a GPU and on disk.
inline constexpr std::uint8_t kTerminated = 1;
inline constexpr std::uint8_t kTruncated = 2;
inline constexpr std::uint8_t kFirst = 4;  // of its episode

}  // namespace tarl::replay
