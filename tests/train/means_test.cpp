// SPDX-License-Identifier: MIT
#include "tarl/train/means.h"

#include <gtest/gtest.h>

namespace tarl::train {
namespace {

TEST(Means, AveragesByNameInOrderOfAppearance) {
  Means means;
  means.add("b", 1);
  means.add("a", 4);
  means.add("b", 3);
  EXPECT_EQ(means.peek("b", 0), 2);
  EXPECT_EQ(means.peek("c", -1), -1);
  const auto row = means.take();
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0], (std::pair<std::string, double>{"b", 2}));
  EXPECT_EQ(row[1], (std::pair<std::string, double>{"a", 4}));
  EXPECT_TRUE(means.take().empty());
}

TEST(Means, ContinuesExactlyAfterSaveAndLoad) {
  Means whole, first, second;
  for (int i = 0; i < 10; ++i) {
    whole.add("x", 0.1 * i);
    if (i < 5) first.add("x", 0.1 * i);
  }
  Tensors state;
  StateWriter writer(state);
  first.save(writer);
  second.load(StateReader(state, "test"));
  for (int i = 5; i < 10; ++i) second.add("x", 0.1 * i);
  EXPECT_EQ(whole.take(), second.take());
}

}  // namespace
}  // namespace tarl::train
