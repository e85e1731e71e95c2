// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/acrobot.h"

#include <cmath>
#include <numbers>

#include "envs/classic/play.h"
#include <gtest/gtest.h>

namespace tarl::envs::classic {

namespace {

// Kinetic and potential energy of two links of 1 kg and 1 m whose moments of inertia about their
// centres are 1 kg m^2.
double energy(const AcrobotState& state) {
  const auto& [theta1, theta2, speed1, speed2] = state;
  const double both = speed1 + speed2;
  const double kinetic = 0.5 * (0.25 + 1) * speed1 * speed1 + 0.5 * speed1 * speed1 +
                         0.5 * (0.25 + 1) * both * both + 0.5 * speed1 * both * std::cos(theta2);
  return kinetic - 9.8 * (1.5 * std::cos(theta1) + 0.5 * std::cos(theta1 + theta2));
}

TEST(Acrobot, HangingStillStaysStill) {
  const AcrobotState next = advanced({}, 0);
  EXPECT_NEAR(next.theta1, 0, 1e-15);
  EXPECT_NEAR(next.theta1_dot, 0, 1e-14);
  EXPECT_NEAR(next.theta2_dot, 0, 1e-14);
}

TEST(Acrobot, KeepsItsEnergyWithoutTorque) {
  AcrobotState state{0.4, -0.3, 0, 0};
  const double before = energy(state);
  for (int t = 0; t < 20; ++t) state = advanced(state, 0);
  EXPECT_NEAR(energy(state), before, 0.05);  // what the integrator loses in 4 seconds
  EXPECT_NE(state, (AcrobotState{0.4, -0.3, 0, 0}));
}

TEST(Acrobot, AnglesAreWrappedAndSpeedsLimited) {
  const AcrobotState fast = advanced({3, -3, 4 * std::numbers::pi, -9 * std::numbers::pi}, 1);
  EXPECT_LE(std::fabs(fast.theta1), std::numbers::pi);
  EXPECT_LE(std::fabs(fast.theta2), std::numbers::pi);
  EXPECT_LE(std::fabs(fast.theta1_dot), 4 * std::numbers::pi);
  EXPECT_LE(std::fabs(fast.theta2_dot), 9 * std::numbers::pi);
}

TEST(Acrobot, IsDoneWhenTheTipIsAboveTheBar) {
  EXPECT_FALSE(swung_up({}));
  EXPECT_FALSE(swung_up({std::numbers::pi / 2, 0, 0, 0}));
  EXPECT_TRUE(swung_up({std::numbers::pi, 0, 0, 0}));
  EXPECT_FALSE(swung_up({std::numbers::pi, std::numbers::pi, 0, 0}));  // folded back to the pivot
}

TEST(Acrobot, ATorqueWithTheMotionSwingsItUp) {
  auto env = make_acrobot(seeded(1));
  std::vector<std::byte> obs = first_observation(*env);
  EXPECT_EQ(floats(obs).size(), 6U);
  int steps = 0;
  rl::StepResult result;
  while (!result.done()) {
    result = env->step(discrete(floats(obs)[5] > 0 ? 2 : 0), obs);
    EXPECT_EQ(result.reward, result.terminated ? 0.0F : -1.0F);
    ++steps;
  }
  EXPECT_TRUE(result.terminated);
  EXPECT_LT(steps, 500);
}

TEST(Acrobot, IsCutAfter500Steps) {
  expect_cut_after(*make_acrobot(seeded(1)), discrete(1), 500);
}

TEST(Acrobot, ContinuesIdenticallyAfterSaveAndLoad) {
  expect_exact_resume(*make_acrobot(seeded(1)), *make_acrobot(seeded(2)), 700,
                      [](int t) { return discrete(t % 7 < 4 ? 2 : 0); });
}

}  // namespace

}  // namespace tarl::envs::classic
