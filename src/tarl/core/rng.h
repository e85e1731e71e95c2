// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tarl/core/philox.h"

namespace tarl {

// A named stream of random numbers. Its whole state is a key and the number of draws so far; each
// draw is one Philox block, so draw k of a stream is the same whatever else was drawn. Plain data:
// copied, saved and restored by value, on the CPU and on a GPU.
struct Rng {
  std::uint64_t key = 0;
  std::uint64_t counter = 0;

  // 64 fresh random bits.
  TARL_HOST_DEVICE std::uint64_t bits() {
    const PhiloxBlock block = philox(key, counter++);
    return (std::uint64_t{block.word[1]} << 32) | block.word[0];
  }

  // A real in [0, 1) with 53 random bits.
  TARL_HOST_DEVICE double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  // An integer in [0, n); the bias is below 2^-32. Requires n > 0.
  TARL_HOST_DEVICE std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((bits() >> 32) * n) >> 32);
  }

  // A standard normal by Box-Muller, from one block.
  double normal() {
    const PhiloxBlock block = philox(key, counter++);
    const double u = (static_cast<double>(block.word[0]) + 1.0) * 0x1p-32;
    const double v = static_cast<double>(block.word[1]) * 0x1p-32;
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

  // An independent stream that depends only on this stream's key and on the name.
  Rng fork(std::string_view name) const;

  bool operator==(const Rng&) const = default;
};

// The root stream of a run.
Rng seeded(std::uint64_t seed);

}  // namespace tarl
