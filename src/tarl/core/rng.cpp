// SPDX-License-Identifier: MIT
#include "tarl/core/rng.h"

namespace tarl {

namespace {

// Folds a 64-bit value into a key through the generator itself.
std::uint64_t mix(std::uint64_t key, std::uint64_t value) {
  const PhiloxBlock block = philox(key, value, 0x7461726c);
  return (std::uint64_t{block.word[1]} << 32) | block.word[0];
}

}  // namespace

Rng Rng::fork(std::string_view name) const {
  std::uint64_t child = mix(key, name.size());
  for (const char letter : name) child = mix(child, static_cast<unsigned char>(letter));
  return {child, 0};
}

Rng seeded(std::uint64_t seed) {
  return {mix(0, seed), 0};
}

}  // namespace tarl
