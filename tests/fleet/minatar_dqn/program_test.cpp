// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/program.h"

#include <gtest/gtest.h>

#include "tarl/fleet/device_run.h"
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

TEST(DevicePrograms, WriteNoTraceAndRunNoOpenMargin) {
  train::RunConfig config = train::resolve({.algo = "ta-dqn", .env = "minatar/breakout"});
  EXPECT_EQ(why_not(config), "");
  config.align.trace = 5;
  EXPECT_NE(why_not(config).find("align.trace = 0"), std::string::npos);
  config = train::resolve({.algo = "ta-dqn", .env = "minatar/breakout", .margin = "auto"});
  EXPECT_NE(why_not(config).find("align.margin = auto"), std::string::npos);
}

}  // namespace
}  // namespace tarl::fleet
