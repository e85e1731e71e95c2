// SPDX-License-Identifier: MIT
#include "bindings/observations.h"

#include <cstdint>
#include <cstring>

namespace tarl::python {

std::vector<std::size_t> plain_shape(const rl::ObsSpec& obs) {
  const auto channels = static_cast<std::size_t>(obs.channels);
  const auto height = static_cast<std::size_t>(obs.height);
  const auto width = static_cast<std::size_t>(obs.width);
  if (obs.kind == rl::ObsKind::kFloats) return {channels * height * width};
  if (obs.kind == rl::ObsKind::kBits) return {height, width, channels};
  return {channels, height, width};
}

const char* plain_dtype(const rl::ObsSpec& obs) {
  if (obs.kind == rl::ObsKind::kFloats) return "float32";
  return obs.kind == rl::ObsKind::kBits ? "bool" : "uint8";
}

std::size_t plain_bytes(const rl::ObsSpec& obs) {
  const auto values = static_cast<std::size_t>(obs.size());
  return obs.kind == rl::ObsKind::kFloats ? values * sizeof(float) : values;
}

void to_plain(const rl::ObsSpec& obs, std::span<const std::byte> packed,
              std::span<std::byte> plain) {
  if (obs.kind != rl::ObsKind::kBits) {
    std::memcpy(plain.data(), packed.data(), plain.size());
    return;
  }
  const int size = obs.size();
  int i = 0;
  for (; i + 8 <= size; i += 8) {  // eight bits to eight bytes
    std::uint8_t bits;
    std::memcpy(&bits, packed.data() + i / 8, 1);
    // Byte k holds only bit k; the addition carries it to the top of its byte.
    const std::uint64_t spread = (bits * 0x0101010101010101ULL) & 0x8040201008040201ULL;
    const std::uint64_t bytes = ((spread + 0x7F7F7F7F7F7F7F7FULL) >> 7) & 0x0101010101010101ULL;
    std::memcpy(plain.data() + i, &bytes, sizeof bytes);
  }
  for (; i < size; ++i) {
    plain[static_cast<std::size_t>(i)] =
        (packed[static_cast<std::size_t>(i / 8)] >> (i % 8)) & std::byte{1};
  }
}

void to_packed(const rl::ObsSpec& obs, std::span<const std::byte> plain,
               std::span<std::byte> packed) {
  if (obs.kind != rl::ObsKind::kBits) {
    std::memcpy(packed.data(), plain.data(), packed.size());
    return;
  }
  std::memset(packed.data(), 0, packed.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != std::byte{0}) packed[i / 8] |= std::byte{1} << (i % 8);
  }
}

}  // namespace tarl::python
