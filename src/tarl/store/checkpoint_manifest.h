// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl::store {

// A good checkpoint of a format that this version does not read.
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

// The JSON text carries a checksum of itself and has one spelling only: a change of any byte is
// noticed.
std::string encode_manifest(const Manifest& manifest);

// Throws Error that names `source` where the text is not what was written, UnknownFormat where it
// is.
Manifest decode_manifest(const std::string& text, const std::string& source);

}  // namespace tarl::store
