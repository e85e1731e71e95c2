// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include <sys/mount.h>
#include <sys/resource.h>

namespace tarl::test {

// During its lifetime no file can grow beyond `bytes`: writes then fail as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }

  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// A separate file system of `size` ("64k") in `folder`. Needs permission to mount: if problem() is
// not empty there is none, and the test must skip with that reason.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path folder, const std::string& size) : folder_(std::move(folder)) {
    if (::mount("tarl-test", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0) {
      problem_ = "cannot mount a small tmpfs: " + std::string(std::strerror(errno));
    }
  }

  ~SmallDisk() {
    if (problem_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::string& problem() const { return problem_; }

 private:
  std::filesystem::path folder_;
  std::string problem_;
};

}  // namespace tarl::test
