// SPDX-License-Identifier: MIT
#include "tarl/replay/alignment_priorities.h"

#include <cmath>

#include <gtest/gtest.h>

namespace {

using tarl::replay::AlignmentPriorities;

TEST(AlignmentPriorities, WeighsByThePowerOfTheScore) {
  AlignmentPriorities priorities(2.0, 0.01, 8);
  for (std::int64_t slot = 0; slot < 3; ++slot) priorities.add(slot, false);
  EXPECT_DOUBLE_EQ(priorities.weight(2), 1.01 * 1.01);
  priorities.update(std::vector<std::int64_t>{0, 2}, std::vector<double>{0.5, 0.0});
  EXPECT_DOUBLE_EQ(priorities.weight(0), 0.51 * 0.51);
  EXPECT_DOUBLE_EQ(priorities.weight(1), 1.01 * 1.01);
  EXPECT_DOUBLE_EQ(priorities.weight(2), 0.01 * 0.01);
  EXPECT_EQ(priorities.weight(3), 0.0);
}

TEST(AlignmentPriorities, ATargetSyncMakesAllEqualAgain) {
  AlignmentPriorities priorities(1.0, 1e-6, 8);
  for (std::int64_t slot = 0; slot < 5; ++slot) priorities.add(slot, false);
  priorities.update(std::vector<std::int64_t>{0, 3}, std::vector<double>{0.5, 0.1});
  priorities.on_target_sync();
  for (std::int64_t slot = 0; slot < 5; ++slot) EXPECT_EQ(priorities.weight(slot), 1 + 1e-6);
  for (std::int64_t slot = 5; slot < 8; ++slot) EXPECT_EQ(priorities.weight(slot), 0.0);
  EXPECT_NEAR(priorities.total(), 5 * (1 + 1e-6), 1e-12);
}

}  // namespace
