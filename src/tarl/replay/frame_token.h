// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tarl/core/host_device.h"

namespace tarl::replay {

// What packed frames are made of, on the CPU, on a GPU and on disk. A token is followed by `fresh`
// literal bytes; then come `repeat` bytes copied from `distance` bytes back, which repeat
// themselves where source and destination overlap.
struct FrameToken {
  std::uint8_t fresh;
  std::uint8_t repeat_low, repeat_high;
  std::uint8_t distance_low, distance_high;

  static FrameToken of(std::size_t fresh, std::size_t repeat, std::size_t distance) {
    return {static_cast<std::uint8_t>(fresh), static_cast<std::uint8_t>(repeat & 0xFF),
            static_cast<std::uint8_t>(repeat >> 8), static_cast<std::uint8_t>(distance & 0xFF),
            static_cast<std::uint8_t>(distance >> 8)};
  }

  TARL_HOST_DEVICE static FrameToken at(const unsigned char* from) {
    return {from[0], from[1], from[2], from[3], from[4]};
  }

  TARL_HOST_DEVICE std::size_t repeat() const { return std::size_t{repeat_high} << 8 | repeat_low; }

  TARL_HOST_DEVICE std::size_t distance() const {
    return std::size_t{distance_high} << 8 | distance_low;
  }
};

static_assert(sizeof(FrameToken) == 5);

}  // namespace tarl::replay
