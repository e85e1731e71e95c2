// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tarl/core/error.h"
#include "tarl/core/files.h"

namespace tarl {

// An empty temporary folder, removed by the destructor.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    // std::filesystem::temp_directory_path() does not say which folder it refuses.
    const char* parent = std::getenv("TMPDIR");
    if (parent == nullptr || *parent == '\0') parent = "/tmp";
    std::string pattern = (fs::path(parent) / (name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(std::string("cannot create a folder in ") + parent + ": " + std::strerror(errno) +
                  "; set TMPDIR to a folder you may write to");
    }
    path_ = pattern;
  }

  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

}  // namespace tarl
