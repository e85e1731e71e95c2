// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <utility>

#include <sys/types.h>

namespace tarl {

// An open file, closed at the end. The layer below core/files.h, which everything else uses.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}

  ~Descriptor();

  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}

  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }

  // Hands it over; the caller closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Throws Error "cannot VERB PATH: cause", with advice where the cause has one.
[[noreturn]] void fail_with(const char* verb, const std::filesystem::path& path, int code);

// Throws Error "cannot VERB PATH: it is a FIFO, not a regular file", or what it is.
[[noreturn]] void refuse_kind(const char* verb, const std::filesystem::path& path, mode_t mode);

// open(2) with these flags, as often as signals interrupt it. Throws Error.
Descriptor open_path(const std::filesystem::path& path, int flags);

// A regular file, reached through symlinks or not. Anything else is refused at once: a FIFO would
// be waited for without end, and a device may have no end.
Descriptor open_to_read(const std::filesystem::path& path);

// Opens a regular file, or creates it; `flags` are O_RDWR or O_WRONLY with what else is wanted.
// Refuses a symlink: a folder from elsewhere may hold one to any file of its user.
Descriptor open_to_write(const std::filesystem::path& path, int flags);

// A new file for writing. What has its name already (left by a crash, or a symlink) is unlinked.
Descriptor create_file(const std::filesystem::path& path);

}  // namespace tarl
