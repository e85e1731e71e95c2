// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tarl::store {

// Repair data for a file that two checkpoints share, a hundredth of its size: the checksum of every
// page of 4 KiB, and for each of 16 stripes the XOR of every 16th page. One damaged or missing page
// per stripe can be restored: any damage within 60 KiB, or scattered damage in different stripes.
std::vector<std::byte> repair_data(std::span<const std::span<const std::byte>> pieces);

// The restored file, if `repair` suffices; the caller checks it against its digest. Both arguments
// may hold anything.
std::optional<std::vector<std::byte>> mended(std::vector<std::byte> damaged,
                                             std::span<const std::byte> repair);

}  // namespace tarl::store
