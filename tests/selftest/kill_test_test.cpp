// SPDX-License-Identifier: MIT
#include "tarl/selftest/kill_test.h"

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

namespace tarl::selftest {

namespace {

KillTask small_task(std::vector<std::string> more = {}) {
  KillTask task{.algo = "dqn", .env = "classic/cartpole", .command = {}, .kills = 6};
  task.command = {TARL_BINARY,
                  "train",
                  "--quiet",
                  "--algo",
                  "dqn",
                  "--env",
                  task.env,
                  "--steps",
                  "1500",
                  "--set",
                  "eval.count=2",
                  "--set",
                  "checkpoint.every=50",
                  "--set",
                  "batch_size=8"};
  task.command.insert(task.command.end(), more.begin(), more.end());
  return task;
}

TEST(KillTest, KillsAsOftenAsAskedAndFindsNoDifference) {
  const test::TemporaryFolder folder;
  int told = 0;
  const KillResult result =
      kill_and_compare(small_task(), folder.path(), seeded(1),
                       {.stop = {}, .progress = [&](const KillResult&) { ++told; }});
  EXPECT_EQ(result.kills, 6);
  EXPECT_GE(result.runs, 1);
  EXPECT_LE(result.inside_write, result.kills);
  EXPECT_GE(told, 6);
  EXPECT_TRUE(result.differences.empty()) << result.differences.front();
}

TEST(KillTest, ARunThatFailsIsAnErrorWithItsLastWords) {
  const test::TemporaryFolder folder;
  const std::string problem = test::error_of([&] {
    kill_and_compare(small_task({"--set", "gamma=7"}), folder.path(), seeded(1), {});
  });
  EXPECT_NE(problem.find("gamma"), std::string::npos) << problem;
}

}  // namespace

}  // namespace tarl::selftest
