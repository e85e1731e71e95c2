// SPDX-License-Identifier: MIT
#include "tarl/core/rng.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace tarl {

namespace {

void expect_words(const PhiloxBlock& block, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::uint32_t d) {
  EXPECT_EQ(block.word[0], a);
  EXPECT_EQ(block.word[1], b);
  EXPECT_EQ(block.word[2], c);
  EXPECT_EQ(block.word[3], d);
}

// The known answers of Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesTheKnownAnswers) {
  expect_words(philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  expect_words(philox(kOnes, kOnes, kOnes), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  // Digits of pi, counter then key.
  expect_words(philox(0x299f31d0'a4093822, 0x85a308d3'243f6a88, 0x03707344'13198a2e), 0xd16cfe09,
               0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Rng, EqualSeedsGiveEqualDraws) {
  Rng a = seeded(7), b = seeded(7), other = seeded(8);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t draw = a.bits();
    EXPECT_EQ(draw, b.bits());
    EXPECT_NE(draw, other.bits());
  }
}

TEST(Rng, ACopyContinuesWhereTheOriginalStood) {
  Rng rng = seeded(3);
  for (int i = 0; i < 17; ++i) rng.bits();
  Rng restored{rng.key, rng.counter};
  EXPECT_EQ(restored, rng);
  EXPECT_EQ(restored.bits(), rng.bits());
}

TEST(Rng, AForkDependsOnKeyAndNameAlone) {
  Rng root = seeded(1);
  const Rng before = root.fork("env/0");
  for (int i = 0; i < 50; ++i) root.bits();
  EXPECT_EQ(root.fork("env/0"), before);
  EXPECT_NE(seeded(2).fork("env/0"), before);
}

TEST(Rng, ForksOfDifferentNamesDoNotMeet) {
  const Rng root = seeded(1);
  std::set<std::uint64_t> keys = {root.key};
  for (const char* name : {"", "a", "b", "aa", "ab", "ba", "env", "env/0", "env/1", "0/env"}) {
    EXPECT_TRUE(keys.insert(root.fork(name).key).second) << name;
  }
  EXPECT_TRUE(keys.insert(root.fork("a").fork("b").key).second);
  EXPECT_TRUE(keys.insert(root.fork("b").fork("a").key).second);
}

TEST(Rng, ForksAreUncorrelated) {
  Rng a = seeded(1).fork("a"), b = seeded(1).fork("b");
  double product = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  // The mean of the products has standard deviation 1/12/sqrt(n); five of them.
  EXPECT_LT(std::fabs(product / kDraws), 5.0 / 12.0 / std::sqrt(kDraws));
}

TEST(Rng, UniformLiesInItsIntervalWithTheRightMoments) {
  Rng rng = seeded(5);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = rng.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 0.005);
}

TEST(Rng, BelowReachesEveryValueEvenly) {
  Rng rng = seeded(6);
  int counts[6] = {};
  for (int i = 0; i < 60'000; ++i) {
    const std::uint32_t value = rng.below(6);
    ASSERT_LT(value, 6U);
    ++counts[value];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, NormalHasMeanZeroAndVarianceOne) {
  Rng rng = seeded(9);
  double sum = 0, squares = 0, fourth = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = rng.normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
    fourth += value * value * value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0, 0.02);
  EXPECT_NEAR(fourth / kDraws, 3.0, 0.15);
}

}  // namespace

}  // namespace tarl
