// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/pendulum.h"

#include <cmath>
#include <numbers>

#include "envs/classic/play.h"
#include <gtest/gtest.h>

namespace tarl::envs::classic {

namespace {

TEST(Pendulum, HangingStillStaysStill) {
  const PendulumState hanging{std::numbers::pi, 0};
  const PendulumState next = advanced(hanging, 0);
  EXPECT_NEAR(next.theta, std::numbers::pi, 1e-15);
  EXPECT_NEAR(next.theta_dot, 0, 1e-14);
}

TEST(Pendulum, MovesAsComputedByHand) {
  // 1 + (15 sin 0.5 + 3) 0.05 = 1.50956915, and 0.5 + 0.05 of that.
  const PendulumState next = advanced({0.5, 1}, 1);
  EXPECT_NEAR(next.theta_dot, 1.5095691539531524, 1e-12);
  EXPECT_NEAR(next.theta, 0.5754784576976576, 1e-12);
  const PendulumState fast = advanced({4, -7.9}, -2);  // the speed is limited to 8
  EXPECT_EQ(fast.theta_dot, -8);
  EXPECT_NEAR(fast.theta, 3.6, 1e-12);
}

TEST(Pendulum, CostCountsTheShortWayToUpright) {
  EXPECT_NEAR(cost({0.5, 1}, 1), 0.25 + 0.1 + 0.001, 1e-15);
  EXPECT_NEAR(cost({4, -7.9}, -2), 11.457935146920741, 1e-12);
  EXPECT_NEAR(cost({2 * std::numbers::pi * 5 + 0.5, 0}, 0), 0.25, 1e-12);
}

TEST(Pendulum, ScalesTheActionToTheTorque) {
  auto env = make_pendulum(seeded(1));
  EXPECT_EQ(env->spec().action.low[0], -2);
  EXPECT_EQ(env->spec().action.high[0], 2);
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  const std::vector<float> start = floats(obs);
  ASSERT_EQ(start.size(), 3U);
  const PendulumState state{std::atan2(start[1], start[0]), start[2]};
  const rl::StepResult result = env->step(continuous(0.5F), obs);  // 1 N m
  EXPECT_NEAR(result.reward, -cost(state, 1), 1e-5);
  const PendulumState next = advanced(state, 1);
  EXPECT_NEAR(floats(obs)[0], std::cos(next.theta), 1e-6);
  EXPECT_NEAR(floats(obs)[1], std::sin(next.theta), 1e-6);
  EXPECT_NEAR(floats(obs)[2], next.theta_dot, 1e-5);
}

TEST(Pendulum, StartsAnywhereAndIsCutAfter200Steps) {
  auto env = make_pendulum(seeded(1));
  std::vector<std::byte> obs(env->spec().obs.bytes());
  double lowest = 1, highest = -1;
  for (int episode = 0; episode < 100; ++episode) {
    env->reset(obs);
    EXPECT_LE(std::fabs(floats(obs)[2]), 1);
    lowest = std::min<double>(lowest, floats(obs)[0]);
    highest = std::max<double>(highest, floats(obs)[0]);
  }
  EXPECT_LT(lowest, -0.9);
  EXPECT_GT(highest, 0.9);
  rl::StepResult result;
  int steps = 0;
  while (!result.done()) {
    result = env->step(continuous(-1), obs);
    ++steps;
  }
  EXPECT_EQ(steps, 200);
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.terminated);
}

TEST(Pendulum, ContinuesIdenticallyAfterSaveAndLoad) {
  expect_exact_resume(*make_pendulum(seeded(1)), *make_pendulum(seeded(2)), 400,
                      [](int t) { return continuous(t % 9 < 5 ? 0.3F : -0.6F); });
}

}  // namespace

}  // namespace tarl::envs::classic
