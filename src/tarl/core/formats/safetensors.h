// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/state.h"

namespace tarl {

struct SafetensorsFile {
  Tensors tensors;
  std::map<std::string, std::string> metadata;
};

// The format: u64 header length, JSON header, raw little-endian data. Equal contents give equal
// bytes (names sorted, header padded with spaces to 8 bytes).
std::vector<std::byte> encode_safetensors(const SafetensorsFile& file);

// The start of such a file, up to its data: the bytes of each tensor follow in name order. For
// writers that avoid a second copy of large tensors in memory.
std::string safetensors_header(const Tensors& tensors,
                               const std::map<std::string, std::string>& metadata);

// Checks everything (header size, JSON, types, offsets without holes or overlap, shape against
// size). Throws Error that names `source` and the field; never trusts a length it has not checked.
SafetensorsFile decode_safetensors(std::span<const std::byte> bytes, const std::string& source);

SafetensorsFile load_safetensors(const std::filesystem::path& path);
void save_safetensors(const std::filesystem::path& path, const SafetensorsFile& file);  // durably

}  // namespace tarl
