// SPDX-License-Identifier: MIT
//
// How a fleet chooses an open margin.
#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/fleet/benchmark.h"

namespace tarl::fleet {
namespace {

constexpr MeasuredSteps kFew{.warm_up = 12, .slice = 4};

train::RunConfig open_run(std::vector<std::string> set) {
  set.insert(set.end(), {"buffer_size=600", "train_freq=1", "eval.episodes=1"});
  return train::resolve(
      {.algo = "ta-dqn", .env = "minatar/breakout", .margin = "auto", .set = std::move(set)});
}

TEST(EmulatedMargins, AreChosenByWhatAStepOfAllAgentsCosts) {
  std::vector<std::string> lines;
  const train::RunConfig settled = train::with_margin(
      open_run({"batch_size=4", "policy.net_arch=[8]"}), 1,
      [&](const std::string& line) { lines.push_back(line); }, fleet_margins(2, kFew));
  EXPECT_GE(settled.align.margin, 1);
  EXPECT_EQ(settled.align.budget, 0.1);
  ASSERT_EQ(lines.size(), train::kMargins.size() + 2);  // all except b = 0.5 m
  EXPECT_NE(lines[0].find("a step of 2 agents of ta-dqn"), std::string::npos) << lines[0];
  EXPECT_NE(lines.back().find("at most 10 % more"), std::string::npos) << lines.back();
}

// An agent on several blocks supports at most 64 candidates.
TEST(EmulatedMargins, ThatAFleetCannotDrawAreLeftOut) {
  const auto settled = train::with_margin(open_run({"fleet.precision=fp16", "fleet.blocks=2"}), 1,
                                          {}, fleet_margins(1, kFew));
  EXPECT_EQ(settled.align.margin, 1);
}

TEST(EmulatedMargins, OfARunThatNoFleetPlaysAreRefusedByName) {
  const auto cartpole = train::resolve({.algo = "ta-dqn", .env = "CartPole-v1", .margin = "auto"});
  const std::string problem =
      test::error_of([&] { train::with_margin(cartpole, 1, {}, fleet_margins(1, kFew)); });
  EXPECT_NE(problem.find("a fleet plays MinAtar"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tarl::fleet
