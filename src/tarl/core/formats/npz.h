// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl {

// Arrays in the order of the file, as numpy.savez keeps them.
using NamedTensor = std::pair<std::string, Tensor>;

// As numpy.savez or numpy.savez_compressed writes them.
enum class Packing : std::uint16_t { kStored = 0, kDeflated = 8 };

// A .npz file: a zip of .npy members. Sizes and offsets are always the 64-bit records of zip64, so
// that large files need no second code path, and the time of every member is the format's first
// (1980-01-01): equal contents give equal bytes.
std::vector<std::byte> encode_npz(std::span<const NamedTensor> arrays,
                                  Packing packing = Packing::kStored);

// Reads what encode_npz, numpy.savez or numpy.savez_compressed wrote, checking every length and
// checksum. Throws Error that names `source` and the member: damage, another compression, Fortran
// order, an element type without Dtype, compressed members of more than `most` bytes in all.
std::vector<NamedTensor> decode_npz(std::span<const std::byte> bytes, const std::string& source,
                                    std::uint64_t most = kMostTable);

void save_npz(const std::filesystem::path& path, std::span<const NamedTensor> arrays);  // durably
std::vector<NamedTensor> load_npz(const std::filesystem::path& path,
                                  std::uint64_t most = kMostTable);

// One member of an .npz file, from its entry in the list of members.
struct NpzMember {
  std::string name;
  std::uint64_t offset = 0;  // of its local header
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;  // of the unpacked bytes
  Packing packing = Packing::kStored;
  std::uint64_t packed_size = 0;  // as `size` where stored
};

// The same bytes as encode_npz, written array by array without holding any: for data that should
// not be in memory at once. The file gets its name only once finish() has made it durable.
class NpzFile {
 public:
  // Takes the next bytes of an array.
  using Sink = std::function<void(std::span<const std::byte>)>;

  explicit NpzFile(const fs::path& path);
  ~NpzFile();  // removes an unfinished file
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  // `produce` passes the array's bytes to the sink, in order; it is called twice, since the
  // checksum precedes the data.
  void add(const std::string& name, Dtype dtype, const std::vector<std::int64_t>& shape,
           const std::function<void(const Sink&)>& produce);
  void finish();

 private:
  fs::path path_, temporary_;
  std::optional<AppendFile> file_;
  std::vector<NpzMember> members_;
};

}  // namespace tarl
