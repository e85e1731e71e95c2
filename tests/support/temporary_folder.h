// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace tarl::test {

// An empty folder, removed after the test. In memory if possible: the code under test syncs a lot,
// and a test cannot see whether data reached a disk.
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
