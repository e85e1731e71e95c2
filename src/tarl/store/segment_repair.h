// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tarl::store {

// Enough to mend a file that two checkpoints share, at a hundredth of its size: the checksum of
// every block of 4 KiB, and for each of 16 stripes the exclusive or of every 16th block. One
// damaged or missing block a stripe can be put back: any change within a stretch of 60 KiB, or
// scattered ones that spare each other's stripes.
std::vector<std::byte> repair_data(std::span<const std::span<const std::byte>> pieces);

// The file as it was, where `repair` can tell; the caller checks the result against its digest.
// Both may hold anything.
std::optional<std::vector<std::byte>> mended(std::vector<std::byte> damaged,
                                             std::span<const std::byte> repair);

}  // namespace tarl::store
