// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/state.h"

namespace tarl {

// Arrays in the order of the file, as numpy.savez keeps them.
using NamedTensor = std::pair<std::string, Tensor>;

// A .npz file: a zip of uncompressed .npy members. Sizes and offsets are always the 64-bit records
// of zip64, so that large files need no second code path, and the time of every member is the
// format's first (1980-01-01): equal contents give equal bytes.
std::vector<std::byte> encode_npz(std::span<const NamedTensor> arrays);

// Reads what encode_npz or numpy.savez wrote, checking every length and checksum. Throws Error that
// names `source` and the member: damage, compression, Fortran order, an element type without Dtype.
std::vector<NamedTensor> decode_npz(std::span<const std::byte> bytes, const std::string& source);

void save_npz(const std::filesystem::path& path, std::span<const NamedTensor> arrays);  // durably
std::vector<NamedTensor> load_npz(const std::filesystem::path& path);

}  // namespace tarl
