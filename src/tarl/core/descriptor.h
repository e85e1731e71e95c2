// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <utility>

#include <sys/types.h>

namespace tarl {

// An open file, closed by the destructor. The layer below core/files.h, which everything else uses.
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

  // Releases ownership; the caller closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Throws Error "cannot VERB PATH: cause", with advice if there is any for the cause.
[[noreturn]] void fail_with(const char* verb, const std::filesystem::path& path, int code);

// Throws Error "cannot VERB PATH: it is a FIFO, not a regular file", or whatever it is.
[[noreturn]] void refuse_kind(const char* verb, const std::filesystem::path& path, mode_t mode);

// open(2) with these flags, retried on EINTR. Throws Error.
Descriptor open_path(const std::filesystem::path& path, int flags);

// A regular file, possibly through symlinks. Anything else is refused at once: opening a FIFO would
// block forever, and a device may be endless.
Descriptor open_to_read(const std::filesystem::path& path);

// Opens or creates a regular file; `flags` are O_RDWR or O_WRONLY and any others. Refuses symlinks:
// a folder from elsewhere may contain one to any of its user's files.
Descriptor open_to_write(const std::filesystem::path& path, int flags);

// A new file for writing. Anything that already has its name (left by a crash, or a symlink) is
// unlinked.
Descriptor create_file(const std::filesystem::path& path);

}  // namespace tarl
