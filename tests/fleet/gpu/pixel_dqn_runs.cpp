// SPDX-License-Identifier: MIT
//
// Long runs of DQN on the games of Atari beside the CPU's, on the device.
#include "fleet/pixel_cases.h"

#include "tarl/core/build_config.h"

namespace tarl::fleet {
namespace {

TEST(FleetPixelDqnRuns, AreTheLoopsFor1000StepsOfThreeGames) {
  if (!kAleBuilt) GTEST_SKIP() << "ALE is not in this build";
  std::vector<train::RunConfig> configs;
  for (const char* env : {"atari/pong", "atari/qbert", "atari/phoenix"}) {
    for (const char* algo : {"ddqn", "ta-ddqn", "ta-dqn"}) {
      configs.push_back(
          test::pixel_run(algo, 1,
                          {"steps=1200", "learning_starts=200", "batch_size=32", "buffer_size=900",
                           "target_update_interval=300", "policy.net_arch=[512]",
                           "replay.compress=true", "eval.count=1", "eval.episodes=1"},
                          env));
    }
  }
  test::expect_the_loops(pixel_dqn_program().make, configs, {1100});
}

}  // namespace
}  // namespace tarl::fleet
