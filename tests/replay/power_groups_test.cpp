// SPDX-License-Identifier: MIT
#include "tarl/replay/power_groups.h"

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace {

using tarl::replay::PowerGroups;

struct Plain {
  double factor, base;
};

// One closed group with ascending bases, and the same rows kept plainly.
std::vector<Plain> fill(PowerGroups& groups, double step, tarl::Rng& rng) {
  std::vector<Plain> plain;
  double base = 0;
  for (std::int64_t i = 0; i < PowerGroups::kRows; ++i) {
    base += step * (0.1 + rng.uniform());
    plain.push_back({rng.uniform() + 1e-3, base});
    groups.row(i) = {plain.back().factor, base, 0};
  }
  groups.refresh(0, PowerGroups::kRows);
  groups.close(0);
  return plain;
}

double exact_sum(const std::vector<Plain>& plain, double exponent) {
  double sum = 0;
  for (const Plain& row : plain) sum += row.factor * std::pow(row.base, exponent);
  return sum;
}

TEST(PowerGroups, ShiftsAsIfEveryRowWereRecomputed) {
  tarl::Rng rng = tarl::seeded(1);
  for (const double exponent : {0.0, 0.2, 0.5, 1.0, 2.0}) {
    PowerGroups groups(PowerGroups::kRows, exponent);
    std::vector<Plain> plain = fill(groups, 1.0, rng);
    for (int step = 0; step < 5000; ++step) {
      // Small steps and large ones; the smallest base stays above 0.05.
      const double size = step % 10 == 0 ? 0.5 : 0.003;
      const double amount = std::max(size * rng.normal(), 0.05 - plain.front().base);
      groups.shift(0, amount);
      for (Plain& row : plain) row.base += amount;
      const double expected = exact_sum(plain, exponent);
      ASSERT_NEAR(groups.sum(0), expected, 2e-12 * expected);
      ASSERT_NEAR(groups.smallest_base(0), plain.front().base, 1e-12);
    }
  }
}

TEST(PowerGroups, OpensWithBasesAndValuesThatFit) {
  tarl::Rng rng = tarl::seeded(2);
  PowerGroups groups(PowerGroups::kRows, 0.2);
  std::vector<Plain> plain = fill(groups, 1.0, rng);
  for (int step = 0; step < 2000; ++step) {
    const double amount = 0.002 * rng.normal();
    groups.shift(0, amount);
    groups.open(0);
    EXPECT_FALSE(groups.closed(0));
    for (std::int64_t i = 0; i < PowerGroups::kRows; ++i) {
      plain[i].base += amount;
      const double value = plain[i].factor * std::pow(plain[i].base, 0.2);
      ASSERT_NEAR(groups.row(i).value, value, 1e-12 * value);
    }
    groups.close(0);
  }
}

TEST(PowerGroups, TakesARowFromValueToValue) {
  const PowerGroups groups(1, 0.2);
  const tarl::replay::PowerRow row = {3, 2, 3 * std::pow(2, 0.2)};
  for (const double amount : {0.0, 0.06, -0.06, 0.0625, 1.0, -1.9}) {
    const double expected = 3 * std::pow(2 + amount, 0.2);
    EXPECT_NEAR(groups.value_after(row, amount), expected, 1e-15 * expected) << amount;
  }
  EXPECT_EQ(groups.value_after(row, -2.5), 0);  // below zero there is nothing
}

TEST(PowerGroups, RestoresToTheBit) {
  tarl::Rng rng = tarl::seeded(3);
  PowerGroups groups(PowerGroups::kRows, 0.2), restored(PowerGroups::kRows, 0.2);
  fill(groups, 1.0, rng);
  groups.shift(0, 0.001);
  restored.set_groups(groups.groups_as_stored());
  for (std::int64_t i = 0; i < PowerGroups::kRows; ++i) restored.row(i) = groups.row(i);
  for (int step = 0; step < 100; ++step) {
    groups.shift(0, 0.002);
    restored.shift(0, 0.002);
    ASSERT_EQ(groups.sum(0), restored.sum(0));
  }
}

}  // namespace
