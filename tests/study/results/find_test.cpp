// SPDX-License-Identifier: MIT
#include <algorithm>

#include "study/results_synthetic.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/study/results/results.h"

namespace tarl::study {
namespace {

using synthetic::RunSpec;
using synthetic::write_run;

class FoundRunsTest : public testing::Test {
 protected:
  const fs::path& root() const { return scratch_.path(); }

  static bool mentions(const Results& results, const std::string& where, const std::string& what) {
    return std::any_of(results.problems.begin(), results.problems.end(), [&](const Problem& p) {
      return p.where == where && p.what.find(what) != std::string::npos;
    });
  }

 private:
  test::TemporaryFolder scratch_;
};

TEST_F(FoundRunsTest, RunsBehindALinkAreFound) {
  const fs::path study = root() / "study", elsewhere = root() / "elsewhere";
  for (const int seed : {0, 1, 2}) {
    RunSpec spec;
    spec.seed = seed;
    write_run((seed == 0 ? study : elsewhere) / ("seed" + std::to_string(seed)), spec);
  }
  fs::create_directory_symlink(elsewhere / "seed1", study / "one");
  fs::create_directory_symlink("../elsewhere", study / "all");
  const Results results = read_results(study);
  std::vector<std::string> folders;
  for (const study::Run& run : results.runs) folders.push_back(run.folder.string());
  // "all" comes first in the alphabet, so that "one" has nothing to add.
  EXPECT_EQ(folders, (std::vector<std::string>{"all/seed1", "all/seed2", "seed0"}));
  EXPECT_EQ(results.cell(0, 0).size(), 3U);
  ASSERT_EQ(results.problems.size(), 1U);
  EXPECT_TRUE(mentions(results, "one", "counted already"));
}

TEST_F(FoundRunsTest, ARunThatIsReachedTwiceCountsOnceByItsOwnName) {
  write_run(root() / "runs" / "z", {});
  fs::create_directory_symlink("z", root() / "runs" / "a");
  const Results results = read_results(root() / "runs");
  ASSERT_EQ(results.runs.size(), 1U);
  EXPECT_EQ(results.runs[0].folder, "z");
  ASSERT_EQ(results.problems.size(), 1U);
  EXPECT_TRUE(mentions(results, "a", "counted already"));
}

TEST_F(FoundRunsTest, LinksThatAreNotFollowedAreListed) {
  const fs::path study = root() / "study";
  write_run(study / "deep" / "run", {});
  fs::create_directory_symlink("..", study / "deep" / "loop");        // the study
  fs::create_directory_symlink("../..", study / "deep" / "outside");  // what holds it
  fs::create_directory_symlink("/", study / "root");
  fs::create_symlink("nowhere", study / "dangling");
  fs::create_symlink("itself", study / "itself");
  fs::create_symlink("deep/run/run.json", study / "file");  // no folder: no matter
  const Results results = read_results(study);
  EXPECT_EQ(results.runs.size(), 1U);
  std::vector<std::string> where;
  for (const Problem& problem : results.problems) where.push_back(problem.where);
  EXPECT_EQ(where,
            (std::vector<std::string>{"dangling", "deep/loop", "deep/outside", "itself", "root"}));
  EXPECT_TRUE(mentions(results, "dangling", "leads nowhere: No such file"));
  EXPECT_TRUE(mentions(results, "itself", "leads nowhere: Too many levels"));
  EXPECT_TRUE(mentions(results, "deep/loop", "holds this one"));
}

TEST_F(FoundRunsTest, TheStudyItselfMayBeALink) {
  write_run(root() / "runs" / "a", {});
  fs::create_directory_symlink("runs", root() / "link");
  const Results results = read_results(root() / "link");
  ASSERT_EQ(results.runs.size(), 1U);
  EXPECT_EQ(results.runs[0].folder, "a");
  EXPECT_TRUE(results.problems.empty());
}

}  // namespace
}  // namespace tarl::study
