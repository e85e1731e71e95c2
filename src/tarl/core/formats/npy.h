// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tarl/core/state.h"

namespace tarl {

// One array as numpy.save writes it (format 1.0): magic, version, a Python dictionary padded to 64
// bytes, raw little-endian data.
std::vector<std::byte> encode_npy(const Tensor& tensor);

// The bytes that precede the data of such an array.
std::vector<std::byte> npy_header(Dtype dtype, const std::vector<std::int64_t>& shape);

// Throws Error that names `source` and what is wrong; reads format 1.0, 2.0 and 3.0.
Tensor decode_npy(std::span<const std::byte> bytes, const std::string& source);

}  // namespace tarl
