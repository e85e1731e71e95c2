// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tarl::replay {

// Lossless LZ77: alternating literal runs and back-references. Made for game frames, which it
// shrinks to between a quarter and a twentieth in a few microseconds; noise grows by two per cent.
class FrameCodec {
 public:
  explicit FrameCodec(std::size_t bytes);  // of a picture

  // Valid until the next call.
  std::span<const std::byte> pack(const std::byte* picture);

  // Requires the output of pack() for a picture of this size, or bytes that fit().
  void unpack(std::span<const std::byte> packed, std::byte* picture) const;

  // Whether unpack() would write exactly one picture and read nothing else: for untrusted bytes.
  bool fits(std::span<const std::byte> packed) const;

 private:
  std::size_t find_repeat(const std::byte* picture, std::size_t at);
  void put(std::span<const std::byte> fresh, std::size_t repeat, std::size_t distance);

  std::size_t bytes_;
  std::array<std::uint32_t, 4096> last_;  // last position of four bytes, by their hash
  std::vector<std::byte> packed_;
};

}  // namespace tarl::replay
