// SPDX-License-Identifier: MIT
#include "tarl/replay/memory.h"

#include <gtest/gtest.h>

namespace {

using namespace tarl::replay;

TEST(Memory, ArraysStartAsZeros) {
  ZeroedArray<double> array(1000);
  for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(array[i], 0.0);
  EXPECT_EQ(array.bytes(), 8000U);
}

}  // namespace
