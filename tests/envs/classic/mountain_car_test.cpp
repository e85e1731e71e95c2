// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/mountain_car.h"

#include <cmath>

#include "envs/classic/play.h"
#include <gtest/gtest.h>

namespace tarl::envs::classic {

namespace {

TEST(MountainCar, RollsAsComputedByHand) {
  // 0.01 + 0.001 - 0.0025 cos(-1.5), and -0.5 plus that.
  const MountainCarState<double> next = advanced(MountainCarState<double>{-0.5, 0.01}, 0.001);
  EXPECT_NEAR(next.velocity, 0.010823156995830743, 1e-15);
  EXPECT_NEAR(next.position, -0.48917684300416926, 1e-15);
}

TEST(MountainCar, TheWallStopsIt) {
  const MountainCarState<double> next = advanced(MountainCarState<double>{-1.19, -0.07}, -0.001);
  EXPECT_EQ(next.position, -1.2);
  EXPECT_EQ(next.velocity, 0);
  const MountainCarState<float> fast = advanced(MountainCarState<float>{-0.5F, 0.0699F}, 0.0015F);
  EXPECT_EQ(fast.velocity, 0.07F);
}

TEST(MountainCar, RockingReachesTheFlag) {
  auto env = make_mountain_car(seeded(1));
  std::vector<std::byte> obs = first_observation(*env);
  EXPECT_GE(floats(obs)[0], -0.6F);
  EXPECT_LE(floats(obs)[0], -0.4F);
  EXPECT_EQ(floats(obs)[1], 0);
  rl::StepResult result;
  while (!result.done()) {
    result = env->step(discrete(floats(obs)[1] < 0 ? 0 : 2), obs);
    EXPECT_EQ(result.reward, -1);
  }
  EXPECT_TRUE(result.terminated);
  EXPECT_GE(floats(obs)[0], 0.5F);
}

TEST(MountainCar, IsCutAfter200Steps) {
  expect_cut_after(*make_mountain_car(seeded(1)), discrete(1), 200);
}

TEST(MountainCar, ContinuesIdenticallyAfterSaveAndLoad) {
  expect_exact_resume(*make_mountain_car(seeded(1)), *make_mountain_car(seeded(2)), 500,
                      [](int t) { return discrete(t / 10 % 3); });
}

TEST(MountainCarContinuous, PaysTheFlagLessTheEffort) {
  auto env = make_mountain_car_continuous(seeded(1));
  std::vector<std::byte> obs = first_observation(*env);
  EXPECT_FLOAT_EQ(env->step(continuous(0.5F), obs).reward, -0.025F);
  rl::StepResult result;
  while (!result.done()) {
    result = env->step(continuous(floats(obs)[1] < 0 ? -1.0F : 1.0F), obs);
    EXPECT_FLOAT_EQ(result.reward, result.terminated ? 99.9F : -0.1F);
  }
  EXPECT_TRUE(result.terminated);
  EXPECT_GE(floats(obs)[0], 0.45F);
}

TEST(MountainCarContinuous, IsCutAfter999Steps) {
  expect_cut_after(*make_mountain_car_continuous(seeded(1)), continuous(0), 999);
}

TEST(MountainCarContinuous, ContinuesIdenticallyAfterSaveAndLoad) {
  expect_exact_resume(*make_mountain_car_continuous(seeded(1)),
                      *make_mountain_car_continuous(seeded(2)), 1500,
                      [](int t) { return continuous(t / 20 % 2 == 0 ? 0.9F : -0.7F); });
}

}  // namespace

}  // namespace tarl::envs::classic
