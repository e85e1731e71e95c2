// SPDX-License-Identifier: MIT
#include "tarl/store/monitor_csv.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/store/logs.h"
#include "tarl/store/run_files.h"

namespace tarl::store {
namespace {

TEST(MonitorCsv, ReadsWhatRunLogsWrite) {
  const test::TemporaryFolder scratch;
  {
    RunLogs logs(scratch.path(), {.env_id = "minatar/breakout"});
    logs.episode(1.5, 10, 10);
    logs.episode(-2, 7, 17);
  }
  const Episodes episodes = read_monitor(scratch / kMonitorFile);
  EXPECT_EQ(episodes.returns, (std::vector<double>{1.5, -2}));
  EXPECT_EQ(episodes.lengths, (std::vector<double>{10, 7}));
  EXPECT_EQ(episodes.steps, (std::vector<double>{10, 17}));
  EXPECT_EQ(last_monitor_step(scratch / kMonitorFile), 17);
}

TEST(MonitorCsv, LeavesOutALineCutShortByAKill) {
  const test::TemporaryFolder scratch;
  write_file_durably(scratch / "m", "#{}\nr,l,t\n1,2,3\n4,5\n6,7,x\n8,9,1e300\n10,11,1");
  EXPECT_EQ(read_monitor(scratch / "m").steps, std::vector<double>{3});
  EXPECT_EQ(last_monitor_step(scratch / "m"), 3);
}

TEST(MonitorCsv, FindsTheLastStepOfALongFile) {
  const test::TemporaryFolder scratch;
  std::string text = "#{}\nr,l,t\n";
  for (int i = 1; i <= 1000; ++i) text += "1,2," + std::to_string(12345 * i) + "\n";
  write_file_durably(scratch / "m", text);
  EXPECT_EQ(last_monitor_step(scratch / "m"), 12'345'000);
  EXPECT_EQ(read_monitor(scratch / "m").count(), 1000U);
}

TEST(MonitorCsv, KnowsNoStepWhereThereIsNone) {
  const test::TemporaryFolder scratch;
  EXPECT_EQ(last_monitor_step(scratch / "missing"), 0);
  write_file_durably(scratch / "m", "#{}\nr,l,t\n");
  EXPECT_EQ(last_monitor_step(scratch / "m"), 0);
}

}  // namespace
}  // namespace tarl::store
