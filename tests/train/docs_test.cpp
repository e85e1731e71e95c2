// SPDX-License-Identifier: MIT
//
// The documentation quotes the code verbatim.
#include <sstream>

#include <gtest/gtest.h>

#include "tarl/core/files.h"
#include "tarl/rl/metrics.h"

namespace tarl::train {
namespace {

std::string source(const char* path) {
  return read_text(fs::path(TARL_SOURCE_DIR) / path);
}

// A line of code without its comment and the blanks around it.
std::string bare(std::string line) {
  line = line.substr(0, line.find("//"));
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

TEST(Docs, TheIdeaInTheReadmeIsTheCodeOfTheLearner) {
  const std::string readme = source("README.md"), learner = source("src/tarl/train/learner.cpp");
  const std::size_t begin = readme.find("```cpp\n", readme.find("## The idea")) + 7;
  std::istringstream lines(readme.substr(begin, readme.find("```", begin) - begin));
  std::size_t at = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (bare(line).empty()) continue;
    at = learner.find("  " + bare(line) + "\n", at);
    ASSERT_NE(at, std::string::npos) << line;
    ++count;
  }
  EXPECT_EQ(count, 5);
}

TEST(Docs, EveryMetricIsInTheTableOfTheRunFolder) {
  const std::string page = source("docs/run-folder.md");
  for (const rl::MetricInfo& metric : rl::kMetrics) {
    const std::string row = std::string("| `") + metric.name + "` | " + metric.meaning + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace tarl::train
