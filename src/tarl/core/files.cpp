// SPDX-License-Identifier: MIT
#include "tarl/core/files.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tarl/core/descriptor.h"
#include "tarl/core/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tarl {

namespace {

constexpr std::size_t kReadSize = 1 << 18;
constexpr std::size_t kReadAtFirst = 1 << 12;

// Writes all of `bytes` at `offset`, however many calls that takes.
void write_all(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes,
               const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_with("write", path, written < 0 ? errno : EIO);
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// Fills as much of `buffer` as the file still has; 0 at its end.
std::size_t read_some(int descriptor, std::span<std::byte> buffer, const fs::path& path) {
  while (true) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_with("read", path, errno);
  }
}

[[noreturn]] void refuse_length(const fs::path& path, std::uint64_t most) {
  throw Error("cannot read " + path.string() + ": it has more than " + std::to_string(most) +
              " bytes, too many for what it should be");
}

void sync(int descriptor, const fs::path& path) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  // Some file systems cannot sync a directory and say so.
  if (result != 0 && errno != EINVAL && errno != EROFS) fail_with("sync", path, errno);
}

template <std::uint32_t kPolynomial>
constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

template <std::uint32_t kPolynomial>
std::uint32_t crc(std::span<const std::byte> bytes, std::uint32_t seed) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table<kPolynomial>();
  std::uint32_t value = ~seed;
  for (const std::byte byte : bytes) {
    value = (value >> 8) ^ kTable[(value ^ static_cast<std::uint32_t>(byte)) & 0xFF];
  }
  return ~value;
}

}  // namespace

void write_file_durably(const fs::path& path, std::span<const std::byte> bytes) {
  require_replaceable(path);
  const fs::path temporary = path.string() + kTemporarySuffix;
  try {
    const Descriptor file = create_file(temporary);
    write_all(file.get(), 0, bytes, temporary);
    sync(file.get(), temporary);
    rename_path(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(path.parent_path());
}

void write_file_durably(const fs::path& path, std::string_view text) {
  write_file_durably(path, std::as_bytes(std::span(text)));
}

void require_replaceable(const fs::path& path) {
  struct stat about {};

  if (::stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return;
  refuse_kind("replace", path, about.st_mode);
}

void refuse_symlink(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_symlink(path, unknown)) return;
  throw Error("cannot write " + path.string() +
              ": it is a symlink, and nothing in a run folder is written through one; remove it, " +
              "or put in its place what it leads to");
}

Digest write_pieces(const fs::path& path, std::span<const std::span<const std::byte>> pieces) {
  const Descriptor file = create_file(path);
  XXH3_state_t hash;
  XXH3_64bits_reset(&hash);
  Digest digest;
  for (const std::span<const std::byte> piece : pieces) {
    if (piece.empty()) continue;
    write_all(file.get(), digest.size, piece, path);
    XXH3_64bits_update(&hash, piece.data(), piece.size());
    digest.size += piece.size();
  }
  sync(file.get(), path);
  digest.xxh3 = XXH3_64bits_digest(&hash);
  return digest;
}

Digest digest_file(const fs::path& path) {
  const Descriptor file = open_to_read(path);
  XXH3_state_t hash;
  XXH3_64bits_reset(&hash);
  Digest digest;
  std::vector<std::byte> buffer(kReadSize);
  while (const std::size_t got = read_some(file.get(), buffer, path)) {
    XXH3_64bits_update(&hash, buffer.data(), got);
    digest.size += got;
  }
  digest.xxh3 = XXH3_64bits_digest(&hash);
  return digest;
}

void rename_path(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_with("replace", to, errno);
}

std::vector<std::byte> read_file(const fs::path& path, std::uint64_t most) {
  const Descriptor file = open_to_read(path);

  struct stat about {};

  if (::fstat(file.get(), &about) != 0) fail_with("read", path, errno);
  const auto expected = static_cast<std::uint64_t>(about.st_size);
  if (expected > most) refuse_length(path, most);
  // The kernel's own files report size 0 whatever they contain.
  std::vector<std::byte> bytes(std::max(kReadAtFirst, static_cast<std::size_t>(expected) + 1));
  std::size_t filled = 0;
  while (const std::size_t got = read_some(file.get(), std::span(bytes).subspan(filled), path)) {
    filled += got;
    if (filled > most) refuse_length(path, most);
    if (filled == bytes.size()) bytes.resize(2 * filled);
  }
  bytes.resize(filled);
  return bytes;
}

void read_part(const fs::path& path, std::uint64_t offset, std::span<std::byte> buffer) {
  const Descriptor file = open_to_read(path);
  if (::lseek(file.get(), static_cast<off_t>(offset), SEEK_SET) < 0) fail_with("read", path, errno);
  while (!buffer.empty()) {
    const std::size_t got = read_some(file.get(), buffer, path);
    if (got == 0) throw Error("cannot read " + path.string() + ": it ends too early");
    buffer = buffer.subspan(got);
  }
}

std::string read_text(const fs::path& path, std::uint64_t most) {
  const std::vector<std::byte> bytes = read_file(path, most);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void sync_directory(const fs::path& directory) {
  const fs::path where = directory.empty() ? fs::path(".") : directory;
  const Descriptor file = open_path(where, O_RDONLY | O_DIRECTORY);
  sync(file.get(), where);
}

void make_directory(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0755) == 0) return;
  const int cause = errno;
  std::error_code unknown;
  if (!fs::is_directory(directory, unknown)) fail_with("create the folder", directory, cause);
}

void make_directories(const fs::path& directory) {
  std::error_code unknown;
  if (directory.empty() || fs::is_directory(directory, unknown)) return;
  const fs::path plain = directory.has_filename() ? directory : directory.parent_path();
  make_directories(plain.parent_path());
  make_directory(plain);
  sync_directory(plain.parent_path());
}

void append_text(const fs::path& path, std::string_view text) {
  const Descriptor file = open_to_write(path, O_WRONLY);
  const off_t length = ::lseek(file.get(), 0, SEEK_END);
  if (length < 0) fail_with("read", path, errno);
  write_all(file.get(), static_cast<std::uint64_t>(length), std::as_bytes(std::span(text)), path);
}

AppendFile::AppendFile(const fs::path& path, std::uint64_t keep_bytes) : path_(path) {
  Descriptor file = open_to_write(path_, O_RDWR);
  const off_t length = ::lseek(file.get(), 0, SEEK_END);
  if (length < 0) fail_with("read", path_, errno);
  if (static_cast<std::uint64_t>(length) < keep_bytes) {
    throw Error(path_.string() + " has " + std::to_string(length) + " bytes, but " +
                std::to_string(keep_bytes) + " were saved; it was cut or replaced");
  }
  int result = 0;
  do {
    result = ::ftruncate(file.get(), static_cast<off_t>(keep_bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0) fail_with("cut", path_, errno);
  size_ = keep_bytes;
  descriptor_ = file.release();
}

AppendFile::~AppendFile() {
  ::close(descriptor_);
}

void AppendFile::append(std::span<const std::byte> bytes) {
  dirty_ = true;
  write_all(descriptor_, size_, bytes, path_);
  size_ += bytes.size();
}

void AppendFile::append(std::string_view text) {
  append(std::as_bytes(std::span(text)));
}

void AppendFile::sync() {
  if (!dirty_) return;
  tarl::sync(descriptor_, path_);
  dirty_ = false;
}

std::uint64_t xxh3(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed) {
  return crc<0xEDB88320U>(bytes, seed);
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  return crc<0x82F63B78U>(bytes, 0);
}

}  // namespace tarl
