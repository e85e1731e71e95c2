// SPDX-License-Identifier: MIT
//
// The C library's file calls, replaced by wrappers that consult the plan first.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "plan.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace tarl::faults;

constexpr int kDescriptors = 4096;

// The number of the open() that created a descriptor below root; 0 for the others.
int g_opened[kDescriptors];
int g_opens = 0;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int opened(int descriptor) {
  return descriptor >= 0 && descriptor < kDescriptors ? g_opened[descriptor] : 0;
}

// True where the call must fail, with errno set.
bool strikes(unsigned traits) {
  const Verdict verdict = judge(traits);
  if (verdict == Verdict::kKill) die();
  return verdict == Verdict::kFail;
}

// The path of a name in an open folder. False if it is not below root.
bool resolve(int folder, const char* name, char (&path)[2048]) {
  if (name != nullptr && name[0] == '/') {
    snprintf(path, sizeof path, "%s", name);
  } else if (folder == AT_FDCWD) {
    return false;  // campaigns give absolute folders
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t length = readlink(link, path, 1024);
    if (length <= 0) return false;
    snprintf(path + length, sizeof path - static_cast<std::size_t>(length), "/%s", name);
  }
  return is_below_root(path);
}

int remember(int descriptor, const char* path, int flags) {
  if (descriptor < 0 || descriptor >= kDescriptors) return descriptor;
  g_opened[descriptor] = __atomic_add_fetch(&g_opens, 1, __ATOMIC_RELAXED);
  record(nullptr, 0, "open %d %d %d %s\n", g_opened[descriptor], (flags & O_CREAT) != 0,
         (flags & O_TRUNC) != 0, path);
  return descriptor;
}

int open_below(int folder, const char* name, int flags, mode_t mode) {
  char path[2048];
  static auto next = real<int (*)(int, const char*, int, ...)>("openat");
  if (!resolve(folder, name, path)) return next(folder, name, flags, mode);
  if (strikes(kInterruptible | ((flags & O_CREAT) != 0 ? kNeedsSpace : kPlain))) return -1;
  return remember(next(folder, name, flags, mode), path, flags);
}

// How many of `size` bytes a call may transfer, or -1 if it fails. A kill happens after half of
// them.
ssize_t allowed(std::size_t size, unsigned traits, bool& dies) {
  switch (judge(traits | kInterruptible | (size > 1 ? kPartial : kPlain))) {
    case Verdict::kFail:
      return -1;
    case Verdict::kShort:
      return static_cast<ssize_t>(size / 2);
    case Verdict::kKill:
      dies = true;
      return static_cast<ssize_t>(size / 2);
    default:
      return static_cast<ssize_t>(size);
  }
}

ssize_t write_at(int descriptor, const void* data, std::size_t size, off_t offset) {
  bool dies = false;
  const ssize_t length = allowed(size, kNeedsSpace, dies);
  if (length < 0) return -1;
  const ssize_t written =
      syscall(SYS_pwrite64, descriptor, data, static_cast<std::size_t>(length), offset);
  if (dies) die();
  if (written > 0) {
    record(data, static_cast<std::size_t>(written), "write %d %lld %zd\n", opened(descriptor),
           static_cast<long long>(offset), written);
  }
  return written;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_below(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_below(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_below(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_below(folder, path, flags, mode);
}

int close(int descriptor) {
  static auto next = real<int (*)(int)>("close");
  if (opened(descriptor) != 0) g_opened[descriptor] = 0;
  return next(descriptor);
}

DIR* opendir(const char* path) {
  static auto next = real<DIR* (*)(const char*)>("opendir");
  if (is_below_root(path) && strikes(kInterruptible)) return nullptr;
  return next(path);
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  if (opened(descriptor) == 0) return syscall(SYS_pwrite64, descriptor, data, size, offset);
  return write_at(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off_t offset) {
  return pwrite(descriptor, data, size, offset);
}

ssize_t write(int descriptor, const void* data, size_t size) {
  if (opened(descriptor) == 0) return syscall(SYS_write, descriptor, data, size);
  const off_t offset = lseek(descriptor, 0, SEEK_CUR);
  const ssize_t written = write_at(descriptor, data, size, offset);
  if (written > 0) lseek(descriptor, offset + written, SEEK_SET);
  return written;
}

ssize_t read(int descriptor, void* data, size_t size) {
  if (opened(descriptor) == 0) return syscall(SYS_read, descriptor, data, size);
  bool dies = false;
  const ssize_t length = allowed(size, kPlain, dies);
  if (dies) die();
  if (length < 0) return -1;
  return syscall(SYS_read, descriptor, data, static_cast<size_t>(length));
}

int fsync(int descriptor) {
  static auto next = real<int (*)(int)>("fsync");
  if (opened(descriptor) == 0) return next(descriptor);
  if (strikes(kInterruptible | kNeedsSpace)) return -1;
  const int result = next(descriptor);
  if (result == 0) record(nullptr, 0, "sync %d\n", opened(descriptor));
  return result;
}

int fdatasync(int descriptor) {
  return fsync(descriptor);
}

int ftruncate(int descriptor, off_t length) {
  if (opened(descriptor) != 0 && strikes(kInterruptible | kNeedsSpace)) return -1;
  const int result = static_cast<int>(syscall(SYS_ftruncate, descriptor, length));
  if (opened(descriptor) != 0 && result == 0) {
    record(nullptr, 0, "cut %d %lld\n", opened(descriptor), static_cast<long long>(length));
  }
  return result;
}

int ftruncate64(int descriptor, off_t length) {
  return ftruncate(descriptor, length);
}

void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  if (opened(file) != 0 && strikes(kPlain)) return MAP_FAILED;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, length, protection, flags, file, offset));
}

void* mmap64(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  return mmap(address, length, protection, flags, file, offset);
}

int flock(int descriptor, int operation) {
  static auto next = real<int (*)(int, int)>("flock");
  if (opened(descriptor) != 0 && strikes(kInterruptible)) return -1;
  return next(descriptor, operation);
}

int rename(const char* from, const char* to) {
  static auto next = real<int (*)(const char*, const char*)>("rename");
  if (is_below_root(to) && strikes(kNeedsSpace)) return -1;
  const int result = next(from, to);
  if (is_below_root(to) && result == 0) record(nullptr, 0, "rename %s\t%s\n", from, to);
  return result;
}

int mkdir(const char* path, mode_t mode) {
  static auto next = real<int (*)(const char*, mode_t)>("mkdir");
  if (is_below_root(path) && strikes(kNeedsSpace)) return -1;
  const int result = next(path, mode);
  if (is_below_root(path) && result == 0) record(nullptr, 0, "mkdir %s\n", path);
  return result;
}

int unlinkat(int folder, const char* name, int flags) {
  static auto next = real<int (*)(int, const char*, int)>("unlinkat");
  char path[2048];
  const bool concerned = resolve(folder, name, path);
  if (concerned && strikes(kPlain)) return -1;
  const int result = next(folder, name, flags);
  if (concerned && result == 0) record(nullptr, 0, "remove %s\n", path);
  return result;
}

int unlink(const char* path) {
  return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char* path) {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char* path) {
  static auto next = real<int (*)(const char*)>("remove");
  if (!is_below_root(path)) return next(path);

  struct stat about {};

  return lstat(path, &about) == 0 && S_ISDIR(about.st_mode) ? rmdir(path) : unlink(path);
}

}  // extern "C"
