// SPDX-License-Identifier: MIT
#include "fleet/gpu/fleet_helpers.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

TEST(Emulated, Fp16Steps) {
  const train::RunConfig config = test::short_run(
      "ta-dqn", "minatar/breakout",
      {"fleet.precision=fp16", "steps=140", "learning_starts=60", "buffer_size=90",
       "target_update_interval=20"});
  const auto agent = new_device_agent(config, true);
  test::advance(*agent, 62);
  EXPECT_EQ(agent->head().updates, 2);
}

}  // namespace
}  // namespace tarl::fleet
