// SPDX-License-Identifier: MIT
#include "tarl/replay/power_blocks.h"

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace {

using tarl::replay::PowerBlocks;

struct Plain {
  double factor, base;
};

// One closed block with ascending bases, and the same rows kept plainly.
std::vector<Plain> fill(PowerBlocks& blocks, double step, tarl::Rng& rng) {
  std::vector<Plain> plain;
  double base = 0;
  for (std::int64_t i = 0; i < PowerBlocks::kRows; ++i) {
    base += step * (0.1 + rng.uniform());
    plain.push_back({rng.uniform() + 1e-3, base});
    blocks.row(i) = {plain.back().factor, base, 0};
  }
  blocks.refresh(0, PowerBlocks::kRows);
  blocks.close(0);
  return plain;
}

double exact_sum(const std::vector<Plain>& plain, double exponent) {
  double sum = 0;
  for (const Plain& row : plain) sum += row.factor * std::pow(row.base, exponent);
  return sum;
}

TEST(PowerBlocks, ShiftsAsIfEveryRowWereRecomputed) {
  tarl::Rng rng = tarl::seeded(1);
  for (const double exponent : {0.0, 0.2, 0.5, 1.0, 2.0}) {
    PowerBlocks blocks(PowerBlocks::kRows, exponent);
    std::vector<Plain> plain = fill(blocks, 1.0, rng);
    for (int step = 0; step < 5000; ++step) {
      // Small steps and large ones; the smallest base stays above 0.05.
      const double size = step % 10 == 0 ? 0.5 : 0.003;
      const double amount = std::max(size * rng.normal(), 0.05 - plain.front().base);
      blocks.shift(0, amount);
      for (Plain& row : plain) row.base += amount;
      const double expected = exact_sum(plain, exponent);
      ASSERT_NEAR(blocks.sum(0), expected, 2e-12 * expected);
      ASSERT_NEAR(blocks.smallest_base(0), plain.front().base, 1e-12);
    }
  }
}

TEST(PowerBlocks, OpensWithBasesAndValuesThatFit) {
  tarl::Rng rng = tarl::seeded(2);
  PowerBlocks blocks(PowerBlocks::kRows, 0.2);
  std::vector<Plain> plain = fill(blocks, 1.0, rng);
  for (int step = 0; step < 2000; ++step) {
    const double amount = 0.002 * rng.normal();
    blocks.shift(0, amount);
    blocks.open(0);
    EXPECT_FALSE(blocks.closed(0));
    for (std::int64_t i = 0; i < PowerBlocks::kRows; ++i) {
      plain[i].base += amount;
      const double value = plain[i].factor * std::pow(plain[i].base, 0.2);
      ASSERT_NEAR(blocks.row(i).value, value, 1e-12 * value);
    }
    blocks.close(0);
  }
}

TEST(PowerBlocks, TakesARowFromValueToValue) {
  const PowerBlocks blocks(1, 0.2);
  const tarl::replay::PowerRow row = {3, 2, 3 * std::pow(2, 0.2)};
  for (const double amount : {0.0, 0.06, -0.06, 0.0625, 1.0, -1.9}) {
    const double expected = 3 * std::pow(2 + amount, 0.2);
    EXPECT_NEAR(blocks.value_after(row, amount), expected, 1e-15 * expected) << amount;
  }
  EXPECT_EQ(blocks.value_after(row, -2.5), 0);  // below zero there is nothing
}

TEST(PowerBlocks, RestoresToTheBit) {
  tarl::Rng rng = tarl::seeded(3);
  PowerBlocks blocks(PowerBlocks::kRows, 0.2), restored(PowerBlocks::kRows, 0.2);
  fill(blocks, 1.0, rng);
  blocks.shift(0, 0.001);
  restored.set_blocks(blocks.blocks_as_stored());
  for (std::int64_t i = 0; i < PowerBlocks::kRows; ++i) restored.row(i) = blocks.row(i);
  for (int step = 0; step < 100; ++step) {
    blocks.shift(0, 0.002);
    restored.shift(0, 0.002);
    ASSERT_EQ(blocks.sum(0), restored.sum(0));
  }
}

}  // namespace
