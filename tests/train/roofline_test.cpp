// SPDX-License-Identifier: MIT
#include "tarl/train/roofline.h"

#include <numeric>

#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/nn/instruction_set.h"

namespace tarl::train {

namespace {

constexpr Ceilings kCeilings{.multiply_adds = 1e9, .caches = 2e8, .memory = 1e8, .divisions = 9e7};

RooflinePart part(double seconds, double operations, double bytes, bool optimiser = false) {
  return {.name = "",
          .seconds = seconds,
          .operations = operations,
          .bytes = bytes,
          .optimiser = optimiser};
}

TEST(Roofline, APartIsBoundByTheCeilingThatLeavesItTheLeastRoom) {
  EXPECT_EQ(bound_of(part(1.2, 1e9, 1e6), kCeilings), Bound::kMultiplyAdds);
  EXPECT_EQ(bound_of(part(1.2, 1e8, 2e8), kCeilings), Bound::kCaches);
  EXPECT_EQ(bound_of(part(1.2, 0, 9e7, true), kCeilings), Bound::kDivisions);
  const Ceilings slow{.multiply_adds = 1e9, .caches = 2e8, .memory = 5e7, .divisions = 9e7};
  EXPECT_EQ(bound_of(part(1.2, 0, 5e7, true), slow), Bound::kMemory);
}

TEST(Roofline, APartFarFromEveryCeilingIsOverhead) {
  EXPECT_EQ(bound_of(part(3, 1e9, 1e8), kCeilings), Bound::kOverhead);
  EXPECT_EQ(bound_of(part(1, 0, 0), kCeilings), Bound::kOverhead);
}

// Zeros that are passed over count as operations: less time than the peak allows.
TEST(Roofline, APartFasterThanItsCeilingIsBoundByIt) {
  EXPECT_EQ(bound_of(part(0.5, 1e9, 1e6), kCeilings), Bound::kMultiplyAdds);
}

TEST(Roofline, TakesAnUpdateToPieces) {
  const test::TemporaryFolder folder;
  const RunConfig config = small_run(folder.path()).config;
  const std::string set = nn::kernels().name;
  const Roofline roofline = measure_roofline(config, 0.02, folder.path());
  EXPECT_EQ(nn::kernels().name, set);
  EXPECT_EQ(roofline.name, "dqn classic/cartpole");
  ASSERT_EQ(roofline.parts.size(), 6U);
  EXPECT_EQ(roofline.parts.front().name, "products");
  EXPECT_EQ(roofline.parts.back().name, "acting");
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) sum += roofline.parts[i].seconds;
  EXPECT_GE(sum, 0.999 * roofline.update_seconds);
  EXPECT_GT(roofline.parts[0].operations, 0);
  EXPECT_GT(roofline.parts[1].bytes, 0);
  EXPECT_GT(roofline.ceilings.multiply_adds, 0);
  EXPECT_GT(roofline.ceilings.caches, 0);
  EXPECT_GT(roofline.ceilings.memory, 0);
  EXPECT_GT(roofline.ceilings.divisions, 0);
}

}  // namespace

}  // namespace tarl::train
