// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// An observation as bits: bit (row*10 + column)*channels + channel of little-endian words, the
// order of rl::ObsKind::kBits.
template <int channels>
struct BitCanvas {
  static constexpr int kBits = kSide * kSide * channels;
  static constexpr int kWords = (kBits + 63) / 64;

  std::uint64_t word[kWords] = {};

  TARL_HOST_DEVICE inline void set(int row, int column, int channel) {
    const unsigned bit = static_cast<unsigned>((row * kSide + column) * channels + channel);
    word[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  TARL_HOST_DEVICE inline bool get(int bit) const {
    return ((word[bit / 64] >> (bit % 64)) & 1U) != 0;
  }
};

}  // namespace tarl::envs::minatar
