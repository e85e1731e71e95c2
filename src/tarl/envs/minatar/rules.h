// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/host_device.h"

// What the five MinAtar games share. Each game is one plain struct of integers: its state is its
// bytes, it allocates nothing, and the CPU and a GPU compile the same rules. A game offers
//   kName, kGymName, kChannels, kActions   constants
//   minimal_action(k)                      global id of the k-th action of the minimal set
//   ramping, terminal                      flags: difficulty rises, the game is over
//   reset(draws), step(action, draws), render(canvas)
// `draws` is random: real() in [0, 1) and index(n) in 0..n-1. `canvas` takes the observation:
// set(row, column, channel), which may name a cell twice. Flags are 0 or 1 in integers, so that
// no state has padding and equal states are equal bytes.
namespace tarl::envs::minatar {

inline constexpr int kSide = 10;  // cells per side; row 0 is the top, column 0 the left
inline constexpr int kLast = kSide - 1;

// Global action ids.
enum Move : int { kNoop = 0, kLeft = 1, kUp = 2, kRight = 3, kDown = 4, kFire = 5 };

inline constexpr int kAllActions = 6;

struct Outcome {
  int reward = 0;
  bool terminal = false;
};

TARL_HOST_DEVICE inline int smaller(int a, int b) {
  return a < b ? a : b;
}

TARL_HOST_DEVICE inline int larger(int a, int b) {
  return a < b ? b : a;
}

TARL_HOST_DEVICE inline bool on_grid(int coordinate) {
  return coordinate >= 0 && coordinate < kSide;
}

// The next cell in the direction of travel.
TARL_HOST_DEVICE inline int ahead(int x, bool right) {
  return right ? x + 1 : x - 1;
}

TARL_HOST_DEVICE inline int behind(int x, bool right) {
  return right ? x - 1 : x + 1;
}

TARL_HOST_DEVICE inline int wrapped(int x) {
  return x < 0 ? kLast : x > kLast ? 0 : x;
}

TARL_HOST_DEVICE inline int count_bits(std::uint32_t bits) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

// Draws one row of cells, bit x for column x.
template <class Canvas>
TARL_HOST_DEVICE inline void set_row(Canvas& canvas, int row, std::uint32_t bits, int channel) {
  if constexpr (requires { canvas.set_row(row, bits, channel); }) {
    canvas.set_row(row, bits, channel);
  } else {
    for (int column = 0; bits != 0; ++column, bits >>= 1) {
      if ((bits & 1U) != 0) canvas.set(row, column, channel);
    }
  }
}

}  // namespace tarl::envs::minatar
