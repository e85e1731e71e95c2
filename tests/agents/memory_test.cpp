// SPDX-License-Identifier: MIT
//
// The memory of an agent is known, to the byte, before it is created.
#include "agents/actor_critic/helpers.h"
#include "agents/dqn_helpers.h"
#include <gtest/gtest.h>

#include "tarl/agents/sac.h"
#include "tarl/agents/td3.h"

namespace tarl::agents {
namespace {

template <class Agent, class Config>
void expect_known(const Config& config, const rl::ObsSpec& obs, const rl::ActionSpec& action) {
  Team team(1);
  for (const int rows : {1, 37, 300}) {
    const double needed = Agent::bytes_needed(config, obs, action, rows);
    const Agent agent(config, obs, action, rows, seeded(1), team);
    EXPECT_EQ(needed, agent.bytes_taken()) << rows << " rows";
    EXPECT_GT(needed, 0);
  }
}

TEST(AgentMemory, OfDqnIsKnownBeforehand) {
  const rl::ObsSpec pixels{rl::ObsKind::kBytes, 4, 84, 84, 1};
  for (const rl::ObsSpec& obs : {bits_spec(), floats_spec(), pixels}) {
    DqnConfig config = plain_config(obs);
    expect_known<DqnAgent>(config, obs, five_actions());
    config.dueling = true;
    config.net_arch = {33, 1024, 2};
    config.optimizer = nn::OptimizerKind::kAdam;
    expect_known<DqnAgent>(config, obs, five_actions());
    config.optimizer = nn::OptimizerKind::kRmsprop;
    config.rmsprop_centered = true;
    expect_known<DqnAgent>(config, obs, five_actions());
  }
}

TEST(AgentMemory, OfSacAndTd3IsKnownBeforehand) {
  const rl::ObsSpec obs = actor_critic_tests::obs_spec(11);
  const rl::ActionSpec action = actor_critic_tests::action_spec(3);
  for (const std::vector<std::int64_t>& widths :
       std::vector<std::vector<std::int64_t>>{{256, 256}, {2}, {}, {400, 33, 7}}) {
    SacConfig sac = completed(SacConfig{}, action.size);
    sac.net_arch = widths;
    expect_known<SacAgent>(sac, obs, action);
    for (const int critics : {1, 2, 5}) {
      Td3Config td3;
      td3.net_arch = widths;
      td3.n_critics = critics;
      expect_known<Td3Agent>(td3, obs, action);
    }
  }
}

}  // namespace
}  // namespace tarl::agents
