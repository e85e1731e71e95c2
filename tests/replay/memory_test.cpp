// SPDX-License-Identifier: MIT
#include "tarl/replay/memory.h"

#include <chrono>

#include <gtest/gtest.h>

namespace {

using namespace tarl::replay;

TEST(Memory, ArraysStartAsZeros) {
  ZeroedArray<double> array(1000);
  for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(array[i], 0.0);
  EXPECT_EQ(array.bytes(), 8000U);
}

TEST(Memory, MoreThanTheMachineHasIsRefusedWithTheFigures) {
  refuse_more_than_memory(1e6, 10);
  try {
    refuse_more_than_memory(9e18, 12345);
    FAIL() << "nothing was refused";
  } catch (const tarl::UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("buffer_size = 12345"), std::string::npos) << message;
    EXPECT_NE(message.find("9000000000000000000 bytes"), std::string::npos) << message;
  }
}

}  // namespace
