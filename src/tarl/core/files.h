// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tarl {

namespace fs = std::filesystem;

// Replaces `path` so that a crash at any instant leaves the old or the new content, never a mix:
// writes a temporary beside it, fsyncs it, renames it, fsyncs the directory. Throws Error with
// path and cause (disk full, read-only, ...); the old file is untouched then.
void write_file_durably(const fs::path& path, std::span<const std::byte> bytes);
void write_file_durably(const fs::path& path, std::string_view text);

// The whole file. Throws Error that names the path.
std::vector<std::byte> read_file(const fs::path& path);
std::string read_text(const fs::path& path);

// Makes the entries of a directory durable.
void sync_directory(const fs::path& directory);

// Creates a directory and its parents, durably.
void make_directories(const fs::path& directory);

// An append-only file that can be cut back to a known length (logs after a resume).
class AppendFile {
 public:
  // Opens or creates, cutting the file to `keep_bytes` first. Throws Error when the file is
  // shorter than that.
  AppendFile(const fs::path& path, std::uint64_t keep_bytes);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void append(std::span<const std::byte> bytes);  // buffered by the operating system only
  void append(std::string_view text);
  void sync();                                     // fsync
  std::uint64_t size() const { return size_; }

 private:
  fs::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

std::uint64_t xxh3(std::span<const std::byte> bytes);
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed = 0);  // as in zlib
std::uint32_t crc32c(std::span<const std::byte> bytes);                         // Castagnoli

}  // namespace tarl
