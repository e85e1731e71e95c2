// SPDX-License-Identifier: MIT
#include "tarl/replay/proportional.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"
#include "tarl/replay/draw.h"

namespace {

using tarl::replay::ProportionalPriorities;

TEST(Proportional, MatchesTheHandComputedVector) {
  ProportionalPriorities per(0.6, 0.0, 4);
  for (std::int64_t slot = 0; slot < 4; ++slot) per.add(slot, false);
  per.update(std::vector<std::int64_t>{0, 1, 2, 3}, std::vector<double>{0.5, 1, 2, 0.1});
  const double power[] = {0.65975396, 1, 1.51571657, 0.25118864};
  const double probability[] = {0.19253562, 0.29182943, 0.44233071, 0.07330424};
  const double weight[] = {1.11012419, 0.93999245, 0.7959342, 1.63351967};
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(per.weight(i), power[i], 1e-8);
    const double p = per.weight(i) / per.total();
    EXPECT_NEAR(p, probability[i], 1e-8);
    EXPECT_NEAR(tarl::replay::importance_weight(4, p, 0.4), weight[i], 1e-8);
  }
}

TEST(Proportional, NewTransitionsGetTheLargestPriorityEverSet) {
  ProportionalPriorities per(0.6, 1e-6, 3);
  per.add(0, false);
  EXPECT_EQ(per.priority(0), 1.0);
  per.update(std::vector<std::int64_t>{0}, std::vector<double>{-5.0});
  per.update(std::vector<std::int64_t>{0}, std::vector<double>{0.1});
  per.add(1, false);
  EXPECT_EQ(per.priority(1), 5.0 + 1e-6);
  EXPECT_EQ(per.weight(1), std::pow(5.0 + 1e-6, 0.6));
  EXPECT_EQ(per.max_priority(), 5.0 + 1e-6);
}

TEST(Proportional, RefusesErrorsThatAreNotFinite) {
  ProportionalPriorities per(0.6, 1e-6, 2);
  per.add(0, false);
  const double before = per.total();
  EXPECT_THROW(per.update(std::vector<std::int64_t>{0}, std::vector<double>{NAN}),
               tarl::NonFiniteError);
  EXPECT_EQ(per.total(), before);
}

TEST(Proportional, DrawsFollowThePriorities) {
  tarl::Rng rng = tarl::seeded(5);
  ProportionalPriorities per(0.6, 1e-6, 40);
  std::vector<std::int64_t> slots;
  std::vector<double> errors;
  for (std::int64_t slot = 0; slot < 40; ++slot) {
    per.add(slot, false);
    slots.push_back(slot);
    errors.push_back(0.2 + rng.uniform());
  }
  per.update(slots, errors);
  constexpr int kDraws = 100'000;
  std::vector<int> seen(40);
  for (int draw = 0; draw < kDraws; ++draw) ++seen[per.find(rng.uniform() * per.total()).slot];
  double chi_square = 0;
  for (const std::int64_t slot : slots) {
    const double expected = kDraws * per.weight(slot) / per.total();
    chi_square += (seen[slot] - expected) * (seen[slot] - expected) / expected;
  }
  EXPECT_LT(chi_square, 72.1);  // 39 degrees of freedom, 0.1 % level
}

}  // namespace
