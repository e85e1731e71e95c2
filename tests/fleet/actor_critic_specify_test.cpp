// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tarl/fleet/actor_critic/specify.h"

namespace tarl::fleet {
namespace {

std::string reason(const std::string& algo, std::vector<std::string> set = {},
                   const std::string& env = "classic/pendulum") {
  return actor_critic::why_not(train::resolve({.algo = algo, .env = env, .set = std::move(set)}));
}

TEST(ActorCriticSpecify, RunsWhatItCan) {
  for (const char* algo : {"sac", "ta-sac", "td3", "ta-td3", "ddpg", "ta-ddpg"}) {
    EXPECT_EQ(reason(algo), "") << algo;
  }
  EXPECT_EQ(reason("ta-sac", {"align.margin=3", "policy.net_arch=[512,2]"}), "");
  EXPECT_EQ(reason("ta-td3", {"fleet.precision=fp16"}), "");
}

TEST(ActorCriticSpecify, RefusesTheRestByName) {
  const std::string networks =
      "a fleet of sac has two hidden layers of at most 512 units (policy.net_arch)";
  EXPECT_EQ(reason("sac", {"policy.net_arch=[256,256,256]"}), networks);
  EXPECT_EQ(reason("sac", {"policy.net_arch=[64]"}), networks);
  EXPECT_EQ(reason("sac", {"policy.net_arch=[513,256]"}), networks);
  EXPECT_EQ(reason("td3", {"policy.n_critics=5"}),
            "a fleet of td3 has at most 4 critics (policy.n_critics)");
  EXPECT_EQ(reason("sac+per"), "a fleet has no replay.kind = per");
  EXPECT_EQ(reason("sac+reaper"), "a fleet has no replay.kind = reaper");
  EXPECT_EQ(reason("ta-sac", {"align.margin=3.1"}),
            "a fleet of sac has at most 1024 candidates an update");
  EXPECT_EQ(reason("sac", {"n_steps=3"}), "a fleet of sac has n_steps = 1");
  EXPECT_EQ(reason("ta-sac", {"align.mode=weight"}),
            "a fleet of sac has align.mode = filter or off");
  EXPECT_EQ(reason("ta-sac", {"align.score=random"}),
            "a fleet of sac has align.score = paper and align.terminals = score");
  EXPECT_EQ(reason("sac", {"on_nan=skip"}), "a fleet of sac has on_nan = stop");
  EXPECT_EQ(reason("sac", {"fleet.precision=tf32"}),
            "a fleet of sac has fleet.precision = f32 or fp16");
  EXPECT_EQ(reason("sac", {"fleet.blocks=2"}), "a fleet of sac has fleet.blocks = 1");
  EXPECT_EQ(reason("sac", {"normalize.obs=true"}),
            "a fleet has no normalize.obs or normalize.reward");
  EXPECT_EQ(reason("sac", {"n_envs=129"}),
            "a fleet of sac has at most 128 environments (n_envs) and episodes an evaluation");
  EXPECT_EQ(reason("dqn", {}, "classic/cartpole"), "this fleet runs sac, td3 and ddpg, not dqn");
}

// The layout is the CPU's: its checkpoints are read as they are.
TEST(ActorCriticSpecify, PlansTheCpusNetworks) {
  rl::EnvSpec spec;
  spec.obs.width = 11;
  spec.action.size = 3;
  const auto config = train::resolve({.algo = "ta-td3", .env = "classic/pendulum"});
  const actor_critic::AgentPlan plan = actor_critic::make_plan(config, spec);
  EXPECT_FALSE(plan.sac);
  EXPECT_EQ(plan.critic_count(), 2);
  EXPECT_EQ(plan.row_floats(), 27);
  EXPECT_EQ(plan.critics.nets.front().in(), 14);
  EXPECT_EQ(plan.actor.nets.front().out(), 3);
  EXPECT_TRUE(plan.actor.has_target);
  EXPECT_TRUE(plan.scores);
  EXPECT_EQ(plan.candidates, 512);
  EXPECT_FALSE(plan.halves);
}

}  // namespace
}  // namespace tarl::fleet
