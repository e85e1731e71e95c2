// SPDX-License-Identifier: MIT
#include "tarl/replay/sum_tree.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace {

using tarl::replay::SumTree;

std::vector<double> random_weights(std::int64_t count, tarl::Rng& rng) {
  std::vector<double> weights(count);
  for (double& weight : weights) weight = rng.uniform() < 0.2 ? 0.0 : std::exp(3 * rng.normal());
  weights[count / 2] = 1;
  return weights;
}

std::int64_t linear_scan(const std::vector<double>& weights, double mass) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    if (sum > mass) return static_cast<std::int64_t>(i);
  }
  return -1;
}

TEST(SumTree, FindsWhatALinearScanFinds) {
  tarl::Rng rng = tarl::seeded(1);
  for (const std::int64_t leaves : {1, 2, 3, 7, 64, 1000}) {
    const std::vector<double> weights = random_weights(leaves, rng);
    SumTree tree(leaves);
    for (std::int64_t i = 0; i < leaves; ++i) tree.set(i, weights[i]);
    for (int draw = 0; draw < 2000; ++draw) {
      const double mass = rng.uniform() * tree.total();
      const SumTree::Found found = tree.find(mass);
      ASSERT_EQ(found.leaf, linear_scan(weights, mass));
      ASSERT_LT(found.rest, weights[found.leaf] * (1 + 1e-9));
    }
  }
}

TEST(SumTree, NeverFindsALeafWithoutWeight) {
  SumTree tree(10);
  tree.set(3, 0.1);
  tree.set(5, 0.2);
  EXPECT_EQ(tree.find(0.0).leaf, 3);
  EXPECT_EQ(tree.find(tree.total()).leaf, 5);
  EXPECT_EQ(tree.find(2 * tree.total()).leaf, 5);
}

TEST(SumTree, IsAFunctionOfItsLeaves) {
  tarl::Rng rng = tarl::seeded(2);
  constexpr std::int64_t kLeaves = 300;
  SumTree worn(kLeaves), at_once(kLeaves), many(kLeaves);
  std::vector<std::int64_t> indices;
  std::vector<double> values;
  for (int step = 0; step < 5000; ++step) {
    indices.push_back(rng.below(kLeaves));
    values.push_back(std::exp(10 * rng.normal()));
    worn.set(indices.back(), values.back());
  }
  many.set_many(indices, values);
  at_once.set_range(0, worn.leaf_values(kLeaves));
  EXPECT_EQ(worn.total(), at_once.total());
  EXPECT_EQ(worn.total(), many.total());
  for (int draw = 0; draw < 1000; ++draw) {
    const double mass = rng.uniform() * worn.total();
    ASSERT_EQ(worn.find(mass).rest, at_once.find(mass).rest);
    ASSERT_EQ(worn.find(mass).rest, many.find(mass).rest);
  }
}

TEST(SumTree, SetsRangesAnywhere) {
  tarl::Rng rng = tarl::seeded(3);
  SumTree one_by_one(77), in_ranges(77);
  for (int step = 0; step < 200; ++step) {
    const std::int64_t first = rng.below(77);
    std::vector<double> values(rng.below(static_cast<std::uint32_t>(77 - first) + 1));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = rng.uniform();
      one_by_one.set(first + static_cast<std::int64_t>(i), values[i]);
    }
    in_ranges.set_range(first, values);
    ASSERT_EQ(one_by_one.total(), in_ranges.total());
  }
}

TEST(SumTree, DrawsInProportionToItsWeights) {
  tarl::Rng rng = tarl::seeded(4);
  SumTree tree(50);
  for (std::int64_t i = 0; i < 50; ++i) tree.set(i, 0.5 + static_cast<double>(i % 7));
  constexpr int kDraws = 200'000;
  std::vector<int> seen(50);
  for (int draw = 0; draw < kDraws; ++draw) ++seen[tree.find(rng.uniform() * tree.total()).leaf];
  double chi_square = 0;
  for (std::int64_t i = 0; i < 50; ++i) {
    const double expected = kDraws * tree.leaf(i) / tree.total();
    chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 85.4);  // 49 degrees of freedom, 0.1 % level
  EXPECT_GT(chi_square, 23.9);  // and not suspiciously even
}

}  // namespace
