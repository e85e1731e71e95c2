// SPDX-License-Identifier: MIT
#include "tarl/core/machine.h"

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl {
namespace {

TEST(Machine, MoreThanItsMemoryIsRefusedWithTheFigures) {
  refuse_more_than_memory("a = 1", 2e9, "use less", 2e9);
  EXPECT_EQ(test::error_of([] { refuse_more_than_memory("a = 1", 9e18, "use less", 2e9); }),
            "a = 1 needs 9000000000000000000 bytes (9e+09 GB) of memory but this machine has "
            "2000000000 bytes (2 GB); use less");
}

TEST(Machine, NoProcessMayUseMoreMemoryThanIsInstalled) {
  EXPECT_GT(usable_memory_bytes(), 0);
  EXPECT_LE(usable_memory_bytes(), static_cast<double>(memory_bytes()));
}

}  // namespace
}  // namespace tarl
