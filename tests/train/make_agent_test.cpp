// SPDX-License-Identifier: MIT
#include "tarl/train/make_agent.h"

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl::train {
namespace {

rl::EnvSpec spec_of(const RunConfig& config) {
  return envs::registry().make(config.env, seeded(1))->spec();
}

std::string refusal(const RunConfig& config) {
  Team team(1);
  return test::error_of([&] { make_agent(config, spec_of(config), seeded(1), team); });
}

const std::pair<const char*, const char*> kTasks[] = {{"ta-dqn", "minatar/breakout"},
                                                      {"ta-dqn", "classic/cartpole"},
                                                      {"ta-sac", "classic/pendulum"},
                                                      {"ta-td3", "classic/pendulum"}};

TEST(MakeAgent, NetworksLargerThanAnyMachineAreRefusedBeforeTheyAreMade) {
  for (const auto& [algo, env] : kTasks) {
    const RunConfig config =
        resolve({.algo = algo, .env = env, .set = {"policy.net_arch=[65536,65536]"}});
    // Values, gradients, moments and the target: each has 65536 x 65536 floats and more.
    EXPECT_GT(agent_bytes(config, spec_of(config)), 4 * 17.1e9) << algo << " " << env;
    EXPECT_NE(refusal(config).find("net_arch"), std::string::npos) << refusal(config);
  }
}

TEST(MakeAgent, BatchesLargerThanAnyMachineAreRefusedWithTheirSize) {
  for (const auto& [algo, env] : kTasks) {
    const RunConfig config =
        resolve({.algo = algo,
                 .env = env,
                 .set = {"policy.net_arch=[8192]", "batch_size=65536", "align.margin=1000"}});
    const std::string refused = refusal(config);
    for (const char* part : {"batch_size = 65536", "align.margin = 1000", "net_arch", "GB"}) {
      EXPECT_NE(refused.find(part), std::string::npos) << algo << " " << env << ": " << refused;
    }
    EXPECT_TRUE(test::is_one_line(refused));
  }
}

TEST(MakeAgent, NeedsNoMoreThanAFewMegabytesAsThePaperHasIt) {
  for (const auto& [algo, env] : kTasks) {
    const RunConfig config = resolve({.algo = algo, .env = env});
    EXPECT_LT(agent_bytes(config, spec_of(config)), 40e6) << algo << " " << env;
    EXPECT_EQ(refusal(config), "");
  }
}

}  // namespace
}  // namespace tarl::train
