// SPDX-License-Identifier: MIT
//
// Long runs of SAC and TD3 on the device against the CPU's.
#include "fleet/actor_critic_cases.h"

namespace tarl::fleet {
namespace {

using test::actor_critic_run;

std::vector<train::RunConfig> paper_runs(const std::string& env) {
  std::vector<train::RunConfig> configs;
  for (const char* algo : {"sac", "ta-sac", "td3", "ta-td3"}) {
    configs.push_back(actor_critic_run(algo, env, 1,
                                       {"steps=1200", "learning_starts=100", "batch_size=256",
                                        "buffer_size=1000", "policy.net_arch=[256,256]"}));
  }
  return configs;
}

TEST(FleetActorCriticRuns, AreTheLoopsFor1000StepsOnPendulum) {
  test::expect_the_loops(paper_runs("classic/pendulum"), {1100});
}

TEST(FleetActorCriticRuns, AreTheLoopsFor1000StepsInMujoco) {
  if (!kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  test::expect_the_loops(paper_runs("mujoco/hopper"), {1100});
  test::expect_the_loops(paper_runs("mujoco/humanoid"), {1100});
}

TEST(FleetActorCriticRuns, AreTheLoopsFor1000StepsInBox2d) {
  if (!kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  test::expect_the_loops(paper_runs("box2d/bipedal_walker"), {1100});
}

}  // namespace
}  // namespace tarl::fleet
