// SPDX-License-Identifier: MIT
#include "tarl/study/plan/estimate.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

namespace tarl::study {
namespace {

Study small_study(std::int64_t seeds, const std::string& buffer) {
  Study study = parse_study(R"(
envs = ["classic/cartpole"]
steps = 1000
[[conditions]]
algo = "dqn"
[[conditions]]
algo = "ta-dqn"
)",
                            "small", "small.toml");
  study.seeds = seeds;
  for (Condition& one : study.conditions) {
    one.set = {{"policy.net_arch", "[8]"}, {"eval.count", "2"}, {"buffer_size", buffer}};
  }
  return study;
}

TEST(Estimate, CountsAddUpAndGrowWithTheStudy) {
  const test::TemporaryFolder root;
  const Estimate one = estimate(plan(small_study(1, "1000"), root / "one"), 0.01);
  EXPECT_EQ(one.runs, 2U);
  EXPECT_EQ(one.finished, 0U);
  EXPECT_EQ(one.steps, 2000);
  EXPECT_EQ(one.steps_left, 2000);
  EXPECT_GT(one.core_seconds, 0);
  EXPECT_TRUE(one.unmeasured.empty());
  EXPECT_FALSE(fs::exists(root / "one"));
  // Rows of two observations of four floats are the least that a replay holds.
  EXPECT_GT(one.run_memory_bytes, 1000 * 4 * 4);

  const Estimate three = estimate(plan(small_study(3, "100000"), root / "three"), 0.01);
  EXPECT_EQ(three.runs, 6U);
  EXPECT_EQ(three.steps, 6000);
  EXPECT_GT(three.run_memory_bytes, one.run_memory_bytes);
  EXPECT_NEAR(three.final_disk_bytes, 3 * one.final_disk_bytes, 1);
  EXPECT_NE(estimate_text(three, 4).find("6 runs, 0 finished; 6000 steps, 6000 to go"),
            std::string::npos);
  EXPECT_NE(estimate_text(three, 4).find(" for 4 side by side"), std::string::npos);
}

TEST(Estimate, TellsTheTimeOfProcessorsAndOfTheirRunsSideBySide) {
  Estimate estimate;
  estimate.runs = 4;
  estimate.core_seconds = 3 * 3600;
  const auto says = [&](const char* words, std::size_t at_once, bool on_gpu = false) {
    return estimate_text(estimate, at_once, on_gpu).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("time: about 3 core-hours, 90 minutes with 2 side by side; without", 2));
  EXPECT_TRUE(says("time: about 3 core-hours; without", 1));
  EXPECT_TRUE(says("time: not estimated on a GPU; about 3 core-hours on processors", 4, true));
  estimate.core_seconds = 30;
  EXPECT_TRUE(says("time: about 30 core-seconds; without", 1));
}

TEST(Estimate, ATraceKeepsNothingFromBeingMeasured) {
  const test::TemporaryFolder root;
  Study traced = small_study(1, "1000");
  traced.conditions[1].set.insert_or_assign("align.trace", "50");
  const Estimate cost = estimate(plan(traced, root / "traced"), 0.01);
  EXPECT_TRUE(cost.unmeasured.empty()) << cost.unmeasured.front();
  EXPECT_GT(cost.core_seconds, 0);
}

TEST(Estimate, WhatThisMachineCannotHoldIsSaid) {
  const test::TemporaryFolder root;
  const Estimate huge = estimate(plan(small_study(1, "1e14"), root / "huge"), 0.01);
  EXPECT_EQ(huge.unmeasured.size(), 2U);
  EXPECT_NE(estimate_text(huge, 1).find("not in this estimate: dqn in classic/cartpole: "),
            std::string::npos);
}

}  // namespace
}  // namespace tarl::study
