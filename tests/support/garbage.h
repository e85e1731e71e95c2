// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/core/rng.h"

namespace tarl::test {

inline std::vector<std::byte> random_bytes(Rng& rng, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
  return bytes;
}

// A copy with a few bytes changed, a range removed, or its end cut off.
inline std::vector<std::byte> mutated(Rng& rng, std::span<const std::byte> good) {
  std::vector<std::byte> bytes(good.begin(), good.end());
  const auto place = [&] { return rng.below(static_cast<std::uint32_t>(bytes.size())); };
  switch (rng.below(3)) {
    case 0:
      for (std::uint32_t i = rng.below(8) + 1; i > 0; --i) {
        bytes[place()] = static_cast<std::byte>(rng.below(256));
      }
      break;
    case 1:
      bytes.resize(place());
      break;
    default: {
      const auto first = bytes.begin() + place();
      const auto left = static_cast<std::uint32_t>(bytes.end() - first);
      bytes.erase(first, first + rng.below(left + 1));
    }
  }
  return bytes;
}

// Feeds a decoder garbage and damaged copies of `good`. It may accept what happens to be valid or
// throw Error; anything else (another exception, a crash, a sanitizer report) fails the test.
template <class Decode>
void feed_garbage(std::span<const std::byte> good, int rounds, Decode&& decode) {
  Rng rng = seeded(1);
  for (int i = 0; i < rounds; ++i) {
    const auto bytes = i % 4 == 0 ? random_bytes(rng, rng.below(300)) : mutated(rng, good);
    try {
      decode(bytes);
    } catch (const Error&) {
    }
  }
}

}  // namespace tarl::test
