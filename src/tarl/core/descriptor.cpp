// SPDX-License-Identifier: MIT
#include "tarl/core/descriptor.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tarl/core/error.h"
#include "tarl/core/files.h"

namespace tarl {

namespace {

constexpr mode_t kMode = 0644;

// -1 with errno set on failure.
int try_open(const fs::path& path, int flags) {
  int number = -1;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, kMode);
  } while (number < 0 && errno == EINTR);
  return number;
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void require_regular(const Descriptor& file, const char* verb, const fs::path& path) {
  struct stat about {};

  if (::fstat(file.get(), &about) != 0) fail_with(verb, path, errno);
  if (S_ISDIR(about.st_mode)) fail_with(verb, path, EISDIR);
  if (!S_ISREG(about.st_mode)) refuse_kind(verb, path, about.st_mode);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void fail_with(const char* verb, const fs::path& path, int code) {
  const char* advice = code == ENOSPC || code == EDQUOT
                           ? "; free some space and run again (nothing already saved is lost)"
                       : code == EROFS || code == EACCES || code == EPERM
                           ? "; choose a folder you may write to"
                           : "";
  throw Error(std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(code) +
              advice);
}

void refuse_kind(const char* verb, const fs::path& path, mode_t mode) {
  throw Error(std::string("cannot ") + verb + " " + path.string() + ": it is " + kind_of(mode) +
              ", not a regular file");
}

Descriptor open_path(const fs::path& path, int flags) {
  Descriptor file(try_open(path, flags));
  if (file.get() < 0) fail_with("open", path, errno);
  return file;
}

Descriptor open_to_read(const fs::path& path) {
  Descriptor file = open_path(path, O_RDONLY | O_NONBLOCK);
  require_regular(file, "read", path);
  return file;
}

Descriptor open_to_write(const fs::path& path, int flags) {
  Descriptor file(try_open(path, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) {
    const int cause = errno;
    if (cause == ELOOP) refuse_symlink(path);
    fail_with("open", path, cause);
  }
  require_regular(file, "write", path);
  return file;
}

Descriptor create_file(const fs::path& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL;
  Descriptor file(try_open(path, kFlags));
  if (file.get() < 0 && errno == EEXIST) {
    ::unlink(path.c_str());
    file = Descriptor(try_open(path, kFlags));
  }
  if (file.get() < 0) fail_with("create", path, errno);
  return file;
}

}  // namespace tarl
