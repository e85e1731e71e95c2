// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tarl {

// The compressed data of zip and gzip (RFC 1951), without their headers. Equal input gives equal
// output.
std::vector<std::byte> deflate(std::span<const std::byte> bytes);

// The `size` bytes that were compressed; nothing where the data are damaged or of another length.
std::optional<std::vector<std::byte>> inflate(std::span<const std::byte> packed, std::size_t size);

// No compressed data are longer than so many times their length once unpacked.
inline constexpr std::uint64_t kMostDeflateRatio = 1032;

}  // namespace tarl
