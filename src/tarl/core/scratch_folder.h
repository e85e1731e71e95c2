// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>

#include "tarl/core/error.h"
#include "tarl/core/files.h"

namespace tarl {

// An empty folder among the system's temporary ones, removed at the end.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    std::string pattern = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("cannot create a folder like " + pattern);
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
