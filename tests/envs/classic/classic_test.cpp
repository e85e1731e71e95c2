// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace {

TEST(Classic, RegistersUnderItsOwnAndGymnasiumsNames) {
  Registry registry;
  add_classic(registry);
  EXPECT_EQ(registry.find("CartPole-v1").name, "classic/cartpole");
  EXPECT_EQ(registry.find("Pendulum-v1").name, "classic/pendulum");
  EXPECT_EQ(registry.find("Acrobot-v1").name, "classic/acrobot");
  EXPECT_EQ(registry.find("MountainCar-v0").name, "classic/mountain_car");
  EXPECT_EQ(registry.find("MountainCarContinuous-v0").name, "classic/mountain_car_continuous");
  for (const std::string& name : registry.names()) {
    const auto env = registry.make(name, seeded(1));
    EXPECT_EQ(env->spec().name, name);
    EXPECT_EQ(env->spec().title, registry.find(name).title);
  }
}

}  // namespace

}  // namespace tarl::envs
