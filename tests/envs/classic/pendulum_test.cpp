// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/pendulum.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

namespace tarl::envs::classic {

namespace {

std::vector<float> floats(const std::vector<std::byte>& obs) {
  std::vector<float> values(obs.size() / sizeof(float));
  std::memcpy(values.data(), obs.data(), obs.size());
  return values;
}

rl::Action torque(float value) {
  rl::Action action;
  action.values[0] = value;
  return action;
}

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
  const rl::StepResult result = env->step(torque(0.5F), obs);  // 1 N m
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
    result = env->step(torque(-1), obs);
    ++steps;
  }
  EXPECT_EQ(steps, 200);
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.terminated);
}

TEST(Pendulum, ContinuesIdenticallyAfterSaveAndLoad) {
  auto env = make_pendulum(seeded(1));
  auto other = make_pendulum(seeded(2));
  std::vector<std::byte> obs(env->spec().obs.bytes()), other_obs = obs;
  env->reset(obs);
  for (int t = 0; t < 50; ++t) env->step(torque(0.3F), obs);
  Tensors saved;
  StateWriter writer(saved);
  env->save(writer);
  other->load(StateReader(saved, "memory"));
  std::string why;
  EXPECT_EQ(env->render(why).value().rgb, other->render(why).value().rgb);
  for (int t = 0; t < 400; ++t) {
    const rl::StepResult result = env->step(torque(0.3F), obs);
    EXPECT_EQ(other->step(torque(0.3F), other_obs).reward, result.reward);
    EXPECT_EQ(obs, other_obs);
    if (!result.done()) continue;
    env->reset(obs);
    other->reset(other_obs);
  }
}

}  // namespace

}  // namespace tarl::envs::classic
