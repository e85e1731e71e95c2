// SPDX-License-Identifier: MIT
#include "tarl/store/timing_log.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/files.h"

namespace tarl::store {
namespace {

TEST(LastTiming, IsThatOfTheLastWholeRow) {
  const test::TemporaryFolder scratch;
  double seconds = 2;
  TimingLog log(scratch / "timing.csv",
                {.seconds = [&] { return seconds; }, .utc = [] { return "2026-01-01T00:00:00Z"; }});
  log.begin(0, 0);
  EXPECT_FALSE(last_timing(scratch / "timing.csv"));
  for (int row = 1; row <= 100; ++row) {
    seconds += 0.5;
    log.append(10 * row, row);
  }
  const auto last = last_timing(scratch / "timing.csv");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->step, 1000);
  EXPECT_DOUBLE_EQ(last->seconds, 52);
  append_text(scratch / "timing.csv", "1010,101,2026-01-01T00:00:00Z,52.5");
  EXPECT_EQ(last_timing(scratch / "timing.csv")->step, 1000);
}

TEST(LastTiming, LeavesOutWhatIsNoRow) {
  const test::TemporaryFolder scratch;
  write_file_durably(scratch / "t",
                     "step,updates,utc,seconds,a,b\n5,1,x,2,,\n-1,1,x,2,,\n6,1,x,nan,,\n7\n");
  EXPECT_EQ(last_timing(scratch / "t")->step, 5);
  fs::create_directory(scratch / "folder");
  EXPECT_FALSE(last_timing(scratch / "folder"));
}

}  // namespace
}  // namespace tarl::store
