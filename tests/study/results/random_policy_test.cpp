// SPDX-License-Identifier: MIT
#include "tarl/study/results/random_policy.h"

#include <cmath>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"

namespace tarl::study {
namespace {

TEST(RandomPolicy, ScoresWhatOthersMeasured) {
  // Random play of the original games, 0.400 +- 0.010 and 4.12 +- 0.05, as in the paper's R_min.
  const auto breakout = measure_random_policy("minatar/breakout", {}, {2000, 1'000'000}, {});
  EXPECT_NEAR(breakout->mean, 0.400, 4 * std::hypot(0.010, breakout->standard_error));
  EXPECT_EQ(breakout->episodes, 2000);
  const auto invaders = measure_random_policy("minatar/space_invaders", {}, {1000, 1'000'000}, {});
  EXPECT_NEAR(invaders->mean, 4.12, 4 * std::hypot(0.05, invaders->standard_error));
}

TEST(RandomPolicy, IsTheSameEveryTime) {
  const auto first = measure_random_policy("minatar/asterix", {}, {50, 100'000}, {});
  const auto second = measure_random_policy("minatar/asterix", {}, {50, 100'000}, {});
  EXPECT_EQ(first->mean, second->mean);
  EXPECT_EQ(first->standard_error, second->standard_error);
}

TEST(RandomPolicy, StopsBeginningEpisodesAtTheStepLimit) {
  const auto freeway = measure_random_policy("minatar/freeway", {}, {200, 5000}, {});
  EXPECT_EQ(freeway->episodes, 2);  // of 2501 steps each
}

TEST(RandomPolicy, StopsWhenAsked) {
  EXPECT_FALSE(measure_random_policy("minatar/freeway", {}, {}, [] { return true; }));
}

TEST(Baselines, AreMeasuredOnceAndKept) {
  const test::TemporaryFolder scratch;
  const Study study = apply_request(find_study("minatar-replay"),
                                    {.seeds = 1, .envs = {"minatar/breakout", "minatar/asterix"}});
  const std::vector<PlannedRun> runs = plan(study, scratch.path());
  write_file_durably(scratch / "baselines.json",
                     R"({"minatar/asterix": {"mean": 7, "se": 1, "episodes": 3}})");
  EXPECT_TRUE(measure_random_scores(scratch.path(), runs, {}));
  const auto json = parse_json(read_text(scratch / "baselines.json"));
  EXPECT_EQ(json["minatar/asterix"]["mean"], 7);
  EXPECT_EQ(json["minatar/breakout"]["episodes"], 200);
  EXPECT_GT(json["minatar/breakout"]["se"].get<double>(), 0);
  write_file_durably(scratch / "baselines.json", "[");
  EXPECT_THROW(measure_random_scores(scratch.path(), runs, {}), Error);
}

}  // namespace
}  // namespace tarl::study
