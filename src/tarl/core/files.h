// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/core/machine.h"

namespace tarl {

namespace fs = std::filesystem;

// Files are read whole, so a file too long for its kind is refused before memory is allocated.
inline constexpr std::uint64_t kMostText = 16ULL << 20;  // bytes of settings, status, small JSON
inline constexpr std::uint64_t kMostTable = 1ULL << 30;  // bytes of CSV, logs, manifests, pages

// Replaces `path` so that a crash at any instant leaves the old or the new content, never a mix:
// writes a temporary beside it, fsyncs it, renames it, fsyncs the directory. A symlink to a file is
// itself replaced, not the file. Throws Error with path and cause (disk full, read-only, not a
// regular file, ...); the old file is then untouched.
inline constexpr const char* kTemporarySuffix = ".tmp";  // of that temporary
void write_file_durably(const fs::path& path, std::span<const std::byte> bytes);
void write_file_durably(const fs::path& path, std::string_view text);

// Throws the Error of write_file_durably() if a folder, FIFO, socket or device has that name: for
// callers who compute for long before they write.
void require_replaceable(const fs::path& path);

// Throws Error if `path` itself is a symlink.
void refuse_symlink(const fs::path& path);

// Size and checksum of a file: enough to notice any later change.
struct Digest {
  std::uint64_t size = 0;
  std::uint64_t xxh3 = 0;
  bool operator==(const Digest&) const = default;
};

// Writes `pieces` one after the other into a new file, replacing any that has the name, and fsyncs
// it, without joining them in memory first. The directory entry is not synced: the caller syncs or
// renames it.
Digest write_pieces(const fs::path& path, std::span<const std::span<const std::byte>> pieces);

// Reads a regular file through a small buffer. Throws Error that names the path.
Digest digest_file(const fs::path& path);

// Renames a file or directory. Throws Error with path and cause.
void rename_path(const fs::path& from, const fs::path& to);

// The content of a regular file. Throws Error that names the path, at once for a FIFO or a device,
// and if it has more than `most` bytes.
std::vector<std::byte> read_file(const fs::path& path, std::uint64_t most = memory_bytes());
std::string read_text(const fs::path& path, std::uint64_t most = kMostText);

// Fills `buffer` from `offset` on. Throws Error that names the path, also if the file is too short.
void read_part(const fs::path& path, std::uint64_t offset, std::span<std::byte> buffer);

// Makes the entries of a directory durable.
void sync_directory(const fs::path& directory);

// Creates a directory unless it exists. Not durable until its parent is synced.
void make_directory(const fs::path& directory);

// Creates a directory and its parents, durably.
void make_directories(const fs::path& directory);

// Appends to a file, or creates it.
void append_text(const fs::path& path, std::string_view text);

// An append-only file that can be truncated to a known length (logs after a resume).
class AppendFile {
 public:
  // Opens or creates the file, truncated to `keep_bytes`. Throws Error if it is shorter than that,
  // a symlink or not a regular file.
  AppendFile(const fs::path& path, std::uint64_t keep_bytes);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Buffered by the operating system only. After a failure (disk full) size() is unchanged and the
  // next append overwrites whatever was half written.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  void sync();  // fsync, unless nothing was appended or cut since the last

  std::uint64_t size() const { return size_; }

 private:
  fs::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool dirty_ = true;
};

std::uint64_t xxh3(std::span<const std::byte> bytes);
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed = 0);  // as in zlib
std::uint32_t crc32c(std::span<const std::byte> bytes);                         // Castagnoli

}  // namespace tarl
