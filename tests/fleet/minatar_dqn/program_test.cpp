// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/program.h"

#include <gtest/gtest.h>

#include "tarl/fleet/minatar_dqn/device_agent.h"

namespace tarl::fleet {
namespace {

TEST(MinatarDqn, EvaluationsHaveTheStreamsOfTheLoop) {
  train::RunConfig config = train::resolve({.algo = "dqn", .env = "minatar/breakout"});
  config.eval.count = 3;
  config.eval.episodes = 2;
  config.seed = 11;
  const std::vector<std::uint64_t> keys = evaluation_keys(config);
  ASSERT_EQ(keys.size(), 12U);
  const Rng second = seeded(11).fork("eval/1");
  EXPECT_EQ(keys[4], second.fork("env/0").key);
  EXPECT_EQ(keys[7], second.fork("act/1").key);
}

}  // namespace
}  // namespace tarl::fleet
