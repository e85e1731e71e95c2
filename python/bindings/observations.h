// SPDX-License-Identifier: MIT
//
// Observations in Gymnasium's layout and in the loop's. They differ only for bits, which Python
// reads as one byte each, [row][column][channel].
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tarl/rl/spec.h"

namespace tarl::python {

// For one observation in Python: the shape of its array, the name of its dtype, and its bytes.
std::vector<std::size_t> plain_shape(const rl::ObsSpec& obs);
const char* plain_dtype(const rl::ObsSpec& obs);
std::size_t plain_bytes(const rl::ObsSpec& obs);

void to_plain(const rl::ObsSpec& obs, std::span<const std::byte> packed,
              std::span<std::byte> plain);

// Any byte but 0 is a set bit.
void to_packed(const rl::ObsSpec& obs, std::span<const std::byte> plain,
               std::span<std::byte> packed);

}  // namespace tarl::python
