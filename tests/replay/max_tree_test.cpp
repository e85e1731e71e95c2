// SPDX-License-Identifier: MIT
#include "tarl/replay/max_tree.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace {

TEST(MaxTree, KnowsTheLargestValue) {
  tarl::Rng rng = tarl::seeded(1);
  for (const std::int64_t leaves : {1, 2, 5, 100}) {
    tarl::replay::MaxTree tree(leaves);
    std::vector<double> values(leaves);
    for (int step = 0; step < 3000; ++step) {
      const std::int64_t i = rng.below(static_cast<std::uint32_t>(leaves));
      values[i] = static_cast<double>(rng.below(50));
      tree.set(i, values[i]);
      ASSERT_EQ(tree.largest(), *std::max_element(values.begin(), values.end()));
      ASSERT_EQ(tree.value(i), values[i]);
    }
  }
}

}  // namespace
