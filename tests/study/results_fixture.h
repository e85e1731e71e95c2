// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "study/results_synthetic.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/study/results/results.h"

namespace tarl::study {

class ResultsTest : public testing::Test {
 protected:
  const fs::path& root() const { return scratch_.path(); }

  std::vector<std::string> labels(const Results& results) const {
    std::vector<std::string> out;
    for (const Algorithm& algorithm : results.algorithms) out.push_back(algorithm.label);
    return out;
  }

  static bool mentions(const Results& results, const std::string& where, const std::string& what) {
    return std::any_of(results.problems.begin(), results.problems.end(), [&](const Problem& p) {
      return p.where.find(where) != std::string::npos && p.what.find(what) != std::string::npos;
    });
  }

 private:
  test::TemporaryFolder scratch_;
};

}  // namespace tarl::study
