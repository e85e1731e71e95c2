// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/cartpole.h"

#include <cmath>

#include "envs/classic/play.h"
#include <gtest/gtest.h>

namespace tarl::envs::classic {

namespace {

TEST(CartPole, APushFromRestIsKnownExactly) {
  // At rest and upright the equations of motion give 400/41 m/s^2 and -600/41 rad/s^2.
  const CartPoleState once = advanced({}, 10);
  EXPECT_EQ(once.x, 0);
  EXPECT_NEAR(once.x_dot, 8.0 / 41, 1e-15);
  EXPECT_EQ(once.theta, 0);
  EXPECT_NEAR(once.theta_dot, -12.0 / 41, 1e-15);
  const CartPoleState twice = advanced(once, -10);
  EXPECT_NEAR(twice.x, 0.16 / 41, 1e-15);
  EXPECT_NEAR(twice.x_dot, 0, 1e-15);
  EXPECT_NEAR(twice.theta, -0.24 / 41, 1e-15);
  EXPECT_NEAR(twice.theta_dot, 0, 1e-15);
}

TEST(CartPole, ALeaningPoleMovesAsTheCoupledEquationsSay) {
  // Expected values from the two equations of motion solved as a linear system.
  const CartPoleState leaning{0.3, -0.4, 0.1, 0.5};
  const CartPoleState right = advanced(leaning, 10);
  EXPECT_NEAR(right.x, 0.292, 1e-12);
  EXPECT_NEAR(right.x_dot, -0.2064194764032959, 1e-12);
  EXPECT_NEAR(right.theta, 0.11, 1e-12);
  EXPECT_NEAR(right.theta_dot, 0.24043088355103476, 1e-12);
  const CartPoleState left = advanced(leaning, -10);
  EXPECT_NEAR(left.x_dot, -0.5963789924645712, 1e-12);
  EXPECT_NEAR(left.theta_dot, 0.8224478977071931, 1e-12);
}

TEST(CartPole, FallsPastTwelveDegreesOrOffTheTrack) {
  EXPECT_FALSE(fallen({2.4, 0, 0.2094, 0}));
  EXPECT_TRUE(fallen({2.41, 0, 0, 0}));
  EXPECT_TRUE(fallen({0, 0, -0.2095, 0}));
}

TEST(CartPole, StartsNearTheMiddleAndScoresEveryStepUntilItFalls) {
  auto env = make_cartpole(seeded(1));
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  ASSERT_EQ(floats(obs).size(), 4U);
  for (const float value : floats(obs)) {
    EXPECT_LE(std::fabs(value), 0.05F);
    EXPECT_NE(value, 0);
  }
  int steps = 0;
  rl::StepResult result;
  while (!result.done()) {
    result = env->step(discrete(1), obs);
    EXPECT_EQ(result.reward, 1);
    ++steps;
  }
  EXPECT_TRUE(result.terminated);
  EXPECT_FALSE(result.truncated);
  EXPECT_GE(steps, 7);  // pushing one way always fails quickly
  EXPECT_LE(steps, 12);
}

TEST(CartPole, IsCutAfter500Steps) {
  auto env = make_cartpole(seeded(1));
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  rl::StepResult result;
  int steps = 0;
  while (!result.done()) {
    // Push under the side to which the pole leans or turns: enough to balance it.
    const std::vector<float> seen = floats(obs);
    result = env->step(discrete(seen[2] + 0.5F * seen[3] + 0.05F * seen[1] > 0 ? 1 : 0), obs);
    ++steps;
  }
  EXPECT_EQ(steps, 500);
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.terminated);
}

TEST(CartPole, ContinuesIdenticallyAfterSaveAndLoad) {
  expect_exact_resume(*make_cartpole(seeded(1)), *make_cartpole(seeded(2)), 100,
                      [](int t) { return discrete(t % 3 == 0 ? 1 : 0); });
}

TEST(CartPole, DrawsItsState) {
  auto env = make_cartpole(seeded(1));
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  std::string why;
  const rl::Image before = env->render(why).value();
  EXPECT_EQ(before.rgb.size(), static_cast<std::size_t>(before.width * before.height * 3));
  for (int t = 0; t < 6; ++t) env->step(discrete(1), obs);
  EXPECT_NE(env->render(why).value().rgb, before.rgb);
}

}  // namespace

}  // namespace tarl::envs::classic
