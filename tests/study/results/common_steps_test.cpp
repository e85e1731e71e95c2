// SPDX-License-Identifier: MIT
#include "tarl/study/results/common_steps.h"

#include <gtest/gtest.h>

namespace tarl::study {
namespace {

using Steps = std::vector<std::int64_t>;

study::Run run_at(const Steps& steps, std::int64_t first_update = 0) {
  study::Run run;
  run.timesteps = steps;
  run.first_update = first_update;
  for (const std::int64_t step : steps) run.mean_returns.push_back(2.0 * static_cast<double>(step));
  return run;
}

CommonSteps common_of(const std::vector<study::Run>& runs) {
  std::vector<const study::Run*> all;
  for (const study::Run& run : runs) all.push_back(&run);
  return common_steps(all);
}

TEST(CommonSteps, AreTheStepsThatAllRunsHave) {
  const CommonSteps common = common_of({run_at({10, 20, 30}), run_at({10, 20, 30})});
  EXPECT_EQ(common.timesteps, (Steps{10, 20, 30}));
  EXPECT_EQ(common.grids, 1U);
  EXPECT_TRUE(common_of({}).timesteps.empty());
}

TEST(CommonSteps, AreTheCoarsestWhereAllRunsHaveBegunAndNoneHasEnded) {
  const CommonSteps common =
      common_of({run_at({5, 10, 15, 20, 25, 30, 35, 40}), run_at({10, 20, 30}), run_at({7, 28})});
  EXPECT_EQ(common.timesteps, (Steps{28}));  // 7 comes before the second run begins
  EXPECT_EQ(common.grids, 3U);
  EXPECT_EQ(common.longest, 40);
  EXPECT_EQ(common.shortest, 2U);
}

TEST(CommonSteps, DropAShortRunThatMeetsNobodyAndNeverTheLongest) {
  const CommonSteps common = common_of({run_at({100, 200, 300}), run_at({10, 20})});
  EXPECT_EQ(common.timesteps, (Steps{100, 200, 300}));
  EXPECT_EQ(common.left_out, std::vector<std::size_t>{1});
}

TEST(CommonSteps, DoNotHeedRunsWithoutAnUpdate) {
  const CommonSteps common = common_of({run_at({100, 200, 300}), run_at({10, 20}, 50)});
  EXPECT_EQ(common.timesteps, (Steps{100, 200, 300}));
  EXPECT_TRUE(common.left_out.empty());
  EXPECT_EQ(common_of({run_at({10, 20}, 50)}).timesteps, (Steps{10, 20}));
}

TEST(ScoresAt, LieOnStraightLinesBetweenEvaluations) {
  EXPECT_EQ(scores_at(run_at({10, 20, 40}), {5, 10, 15, 30, 40, 50}),
            (statistics::Curve{20, 20, 30, 60, 80}));
}

}  // namespace
}  // namespace tarl::study
