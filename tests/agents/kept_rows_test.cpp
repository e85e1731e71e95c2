// SPDX-License-Identifier: MIT
#include "tarl/agents/kept_rows.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace {

TEST(KeptRows, AreSortedWithTheirWeights) {
  tarl::agents::KeptRows kept(10);
  const std::vector<std::int32_t> rows = {7, 2, 5};
  const std::vector<float> weight = {0.7F, 0.2F, 0.5F};
  kept.set(rows, weight, 10);
  EXPECT_EQ(kept.rows(), (std::vector<int>{2, 5, 7}));
  EXPECT_EQ(kept.weight(0), 0.2F);
  EXPECT_EQ(kept.weight(2), 0.7F);
  EXPECT_FALSE(kept.all());
  EXPECT_DOUBLE_EQ(kept.mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_THROW(kept.set(std::vector<std::int32_t>{1, 1}, std::vector<float>{1, 1}, 10),
               std::logic_error);
  EXPECT_THROW(kept.set(std::vector<std::int32_t>{10}, std::vector<float>{1}, 10),
               std::logic_error);
}

}  // namespace
