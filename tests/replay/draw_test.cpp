// SPDX-License-Identifier: MIT
#include "tarl/replay/draw.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace tarl::replay;

TEST(Draw, StratifiedTakesOneFromEachShareInRandomOrder) {
  tarl::Rng rng = tarl::seeded(1);
  int ascending = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> masses(16);
    draw_masses(Draw::kStratified, 32.0, rng, masses);
    ascending += std::is_sorted(masses.begin(), masses.end());
    std::sort(masses.begin(), masses.end());
    for (int share = 0; share < 16; ++share) {
      EXPECT_GE(masses[share], 2.0 * share);
      EXPECT_LT(masses[share], 2.0 * (share + 1));
    }
  }
  EXPECT_EQ(ascending, 0);
}

TEST(Draw, EveryShareComesFirstEquallyOften) {
  tarl::Rng rng = tarl::seeded(2);
  std::vector<int> first(8);
  for (int round = 0; round < 8000; ++round) {
    std::vector<double> masses(8);
    draw_masses(Draw::kStratified, 8.0, rng, masses);
    ++first[static_cast<int>(masses[0])];
  }
  double chi_square = 0;
  for (const int count : first) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 24.3);  // 7 degrees of freedom, 0.1 % level
}

TEST(Draw, IndependentTakesOneDrawPerRow) {
  tarl::Rng rng = tarl::seeded(3), same = tarl::seeded(3);
  std::vector<double> masses(5);
  draw_masses(Draw::kIndependent, 4.0, rng, masses);
  for (const double mass : masses) EXPECT_EQ(mass, same.uniform() * 4.0);
  EXPECT_EQ(rng, same);
}

TEST(Draw, BetaRisesToOne) {
  EXPECT_DOUBLE_EQ(annealed_beta(0.4, 0.0), 0.4);
  EXPECT_DOUBLE_EQ(annealed_beta(0.4, 0.5), 0.7);
  EXPECT_DOUBLE_EQ(annealed_beta(0.4, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(annealed_beta(0.4, 1.5), 1.0);
}

TEST(Draw, WeightsAreNormalisedOverTheKeptRows) {
  const std::vector<float> raw = {1.11012419F, 0.93999245F, 0.7959342F, 1.63351967F};
  std::vector<float> all(4), two(2);
  normalise_weights(raw, std::vector<std::int32_t>{0, 1, 2, 3}, all);
  EXPECT_NEAR(all[0], 0.67959034, 1e-7);
  EXPECT_NEAR(all[1], 0.57543994, 1e-7);
  EXPECT_NEAR(all[2], 0.48725107, 1e-7);
  EXPECT_EQ(all[3], 1.0F);
  normalise_weights(raw, std::vector<std::int32_t>{0, 2}, two);
  EXPECT_EQ(two[0], 1.0F);
  EXPECT_NEAR(two[1], 0.71697762, 1e-7);
}

}  // namespace
