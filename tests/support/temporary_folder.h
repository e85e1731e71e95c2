// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace tarl::test {

// An empty folder that goes with the test. In memory where there is such a place: what is tested
// syncs a lot, and a test cannot see whether a disk was reached.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/dev/shm/tarl-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      name = testing::TempDir() + "/tarl-test-XXXXXX";
      if (::mkdtemp(name.data()) == nullptr) std::abort();
    }
    path_ = name;
  }

  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace tarl::test
