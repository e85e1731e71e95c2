// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl::store {

// A valid checkpoint in a format that this version does not read.
class UnknownFormat : public Error {
 public:
  using Error::Error;
};

// What manifest.json says about one file: its digest, and the hash of every tensor in it, so that
// damage can be named.
struct FileRecord {
  Digest digest;
  std::map<std::string, std::uint64_t> fields;
};

inline constexpr const char* kStateFile = "state.safetensors";  // beside manifest.json

struct Manifest {
  std::int64_t step = 0;
  std::string settings;  // the run's, as TOML; empty in checkpoints of earlier versions
  FileRecord state;
  std::map<std::string, FileRecord> segments;  // by name
};

// The JSON text contains its own checksum and has a single canonical form: any changed byte is
// detected.
std::string encode_manifest(const Manifest& manifest);

// Throws Error that names `source` if the text is damaged, UnknownFormat if it is intact but in
// another format.
Manifest decode_manifest(const std::string& text, const std::string& source);

}  // namespace tarl::store
