// SPDX-License-Identifier: MIT
#include "tarl/agents/registry.h"

#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/agents/dqn.h"
#include "tarl/agents/one_critic.h"
#include "tarl/agents/sac.h"

namespace tarl::agents {
namespace {

TEST(AgentRegistry, HasTheBuiltInAgentsInTheirOrder) {
  EXPECT_EQ(registry().names(), (std::vector<std::string>{"dqn", "ddqn", "sac", "td3", "ddpg"}));
  EXPECT_EQ(registry().names(Actions::kDiscrete), (std::vector<std::string>{"dqn", "ddqn"}));
  EXPECT_TRUE(registry().find("ddqn").makes<DqnAgent>());
  EXPECT_FALSE(registry().find("sac").makes<DqnAgent>());
}

TEST(AgentRegistry, UnknownNamesSuggestNearOnes) {
  const std::string problem = test::error_of([] { registry().find("dqm"); });
  EXPECT_NE(problem.find("'dqn'"), std::string::npos) << problem;
  EXPECT_EQ(registry().look_up("dqm"), nullptr);
}

TEST(AgentRegistry, ASecondEntryOfANameTakesThePlaceOfTheFirst) {
  Registry mine;
  add_dqn(mine);
  Entry other = entry<DqnAgent, DqnConfig>("dqn", "another", Actions::kDiscrete);
  mine.add(other);
  EXPECT_EQ(mine.names(), (std::vector<std::string>{"dqn", "ddqn"}));
  EXPECT_EQ(mine.find("dqn").title, "another");
}

TEST(AgentRegistry, NamesThatAlgorithmsCannotBeMadeOfAreRefused) {
  Registry mine;
  for (const char* name : {"", "ta-dqn", "DQN", "a+b", "a b", "-a", "a/b"}) {
    const Entry entry_of = entry<DqnAgent, DqnConfig>(name, "", Actions::kDiscrete);
    EXPECT_NE(test::error_of([&] { mine.add(entry_of); }).find("cannot be called"),
              std::string::npos)
        << name;
  }
  EXPECT_TRUE(mine.entries().empty());
}

TEST(AgentSettings, CopiesAreTheirOwn) {
  Settings first{DqnConfig{}};
  Settings second = first;
  Fields table = second.table();
  set_field(table, "learning_rate", "0.5", "test");
  EXPECT_EQ(second.as<DqnConfig>().learning_rate, 0.5);
  EXPECT_EQ(first.as<DqnConfig>().learning_rate, DqnConfig{}.learning_rate);
  EXPECT_THROW(first.as<SacConfig>(), std::logic_error);
  EXPECT_TRUE(Settings().table().empty());
}

TEST(OneCritic, GivesTargetsAndErrorsByRow) {
  rl::Batch batch({.kind = rl::ObsKind::kFloats}, {.count = 2}, 2);
  batch.rows = 2;
  batch.reward = {1, 2};
  batch.discount = {0.5F, 0};
  OneCritic rows;
  rows.start(batch);
  rows.set(0, 1.5F, 4, 2);
  rows.set(1, 5, 4, 2);
  const rl::Assessment& seen = rows.assessment();
  EXPECT_EQ(std::vector<float>(seen.y_online.begin(), seen.y_online.end()),
            (std::vector<float>{3, 2}));
  EXPECT_EQ(std::vector<float>(seen.y_offline.begin(), seen.y_offline.end()),
            (std::vector<float>{2, 2}));
  EXPECT_EQ(rows.error(0), 0.5F);
  EXPECT_EQ(seen.abs_error[1], 3);
}

}  // namespace
}  // namespace tarl::agents
