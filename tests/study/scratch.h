// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tarl/core/files.h"

// A folder of a test's own that goes with it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (tarl::fs::temp_directory_path() / "tarl-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = pattern;
  }

  ~Scratch() {
    std::error_code ignored;
    tarl::fs::remove_all(path_, ignored);
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const tarl::fs::path& path() const { return path_; }

  tarl::fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  tarl::fs::path path_;
};
