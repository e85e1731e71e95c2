// SPDX-License-Identifier: MIT
#include "tarl/fleet/fleet_run.h"

#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

using train::Phase;

TEST(FleetRun, SlicesEndAtEvaluationsCheckpointsAndTheEnd) {
  train::RunConfig config = train::resolve({.algo = "dqn", .env = "minatar/breakout"});
  config.steps = 1000;
  config.eval.count = 4;
  config.checkpoint.every = 300;
  const auto after = [&](std::int64_t step, std::int64_t evaluations, Phase phase) {
    return slice_end(config, {step, evaluations, phase}, 400);
  };
  EXPECT_EQ(after(0, 0, Phase::kCollect), 250);
  EXPECT_EQ(after(250, 1, Phase::kLearn), 300);  // the evaluation's step, then onwards
  EXPECT_EQ(after(300, 1, Phase::kCollect), 500);
  EXPECT_EQ(after(600, 2, Phase::kLearn), 600);  // a checkpoint is due after the step
  EXPECT_EQ(after(750, 3, Phase::kLearn), 900);
  EXPECT_EQ(after(900, 3, Phase::kCollect), 1000);
  EXPECT_EQ(after(1000, 4, Phase::kLearn), 1000);
  config.checkpoint.every = 0;
  config.eval.count = 1;
  EXPECT_EQ(after(100, 0, Phase::kCollect), 500);  // at most `longest` steps
}

}  // namespace
}  // namespace tarl::fleet
