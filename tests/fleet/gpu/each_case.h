// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "fixtures/fixture.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"

namespace tarl::fleet::test {

// Thrown if a fleet cannot run a case.
struct BeyondFleet : Error {
  using Error::Error;
};

// Calls run(case, checker) for each case of a family that is `wanted`.
template <class Wanted, class Run>
void for_each_case(const std::string& family, Wanted wanted, Run run) {
  const std::filesystem::path folder = fixtures::root() / family;
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is missing; set TARL_FIXTURES";
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int cases = 0, left_out = 0;
  for (const std::filesystem::path& file : files) {
    const fixtures::Case test(file);
    fixtures::Checker check;
    if (test.meta("kind") == "params" || !wanted(test)) continue;
    try {
      run(test, check);
    } catch (const BeyondFleet& problem) {
      std::printf("%-44s left out: %s\n", test.name().c_str(), problem.what());
      ++left_out;
      continue;
    }
    ++cases;
    std::printf("%-44s %8ld values, largest deviation %.3g (tolerance %.3g)\n", test.name().c_str(),
                check.compared(), check.worst_deviation(), check.worst_tolerance());
    for (const std::string& failure : check.failures()) {
      ADD_FAILURE() << test.name() << ": " << failure;
    }
  }
  std::printf("%s: %d cases, %d left out\n", family.c_str(), cases, left_out);
  EXPECT_GT(cases, 0);
}

template <class Run>
void for_each_case(const std::string& family, Run run) {
  for_each_case(
      family, [](const fixtures::Case&) { return true; }, run);
}

}  // namespace tarl::fleet::test
