// SPDX-License-Identifier: MIT
#include "tarl/train/margin.h"

#include <algorithm>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

constexpr double kBudget = 0.25;

// A device with known costs.
MarginRule rule_of(decltype(MarginRule::measure) measure) {
  return {std::move(measure), "a step", kBudget};
}

std::vector<MarginCost> costs(const std::vector<double>& seconds) {
  std::vector<MarginCost> all;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    all.push_back({kMargins[i], static_cast<int>(32 * kMargins[i]), seconds[i]});
  }
  return all;
}

RunConfig open_config(std::vector<std::string> set = {}) {
  return resolve(
      {.algo = "ta-dqn", .env = "classic/cartpole", .margin = "auto", .set = std::move(set)});
}

TEST(ChooseMargin, TakesTheLargestWithinTheBudget) {
  EXPECT_EQ(choose_margin(costs({8, 9, 9.5, 10, 10.1, 12, 14, 16, 18}), 0.25), 2.0);
  EXPECT_EQ(choose_margin(costs({8, 9, 9.5, 10, 10.1, 12, 14, 16, 18}), 0), 0.5);
  EXPECT_EQ(choose_margin(costs({8, 9, 9.5, 10, 10.1, 12, 14, 16, 18}), 9), 7.0);
}

TEST(ChooseMargin, OneDisturbedMeasurementDoesNotHideLargerMargins) {
  EXPECT_EQ(choose_margin(costs({8, 99, 9, 9, 9.9, 12, 14, 16, 18}), 0.25), 3.0);
}

TEST(ChooseMargin, TheSmallestIsAlwaysWithin) {
  EXPECT_EQ(choose_margin(costs({8, 11, 12, 13, 14, 15, 16, 17, 18}), 0.25), 0.5);
}

TEST(OpenMargin, IsASettingLikeAnyOtherUntilItIsMeasured) {
  const RunConfig config = open_config();
  EXPECT_TRUE(config.margin_is_open());
  EXPECT_TRUE(config.uses_scores());
  const std::string toml = config_to_toml(config, false);
  EXPECT_NE(toml.find("margin = \"auto\""), std::string::npos);
  EXPECT_TRUE(config_from_toml(toml, "test").margin_is_open());
  EXPECT_TRUE(open_config({"align.terminals=exempt"}).margin_is_open());
  EXPECT_EQ(default_folder(config), "runs/classic/cartpole/ta-dqn-marginauto/seed0");
  EXPECT_NE(error_of([&] { config.oversampling(); }).find("give a number"), std::string::npos);
}

TEST(OpenMargin, BecomesTheNumberThatWasChosen) {
  std::vector<std::string> lines;
  const RunConfig config = with_margin(
      open_config(), 3, [&](const std::string& line) { lines.push_back(line); },
      rule_of([](const RunConfig& asked, int threads) {
        EXPECT_TRUE(asked.margin_is_open());
        EXPECT_EQ(threads, 3);
        return costs({8, 9, 9.5, 10, 10.1, 12, 14, 16, 18});
      }));
  EXPECT_EQ(config.align.margin, 2.0);
  EXPECT_EQ(config.align.budget, kBudget);
  ASSERT_EQ(lines.size(), kMargins.size() + 3);  // what, columns, a line a margin, the choice
  EXPECT_NE(lines[0].find("what a step of ta-dqn on classic/cartpole costs here"),
            std::string::npos)
      << lines[0];
  EXPECT_NE(lines[5].find("2.0     64 10000000.0    +25 %"), std::string::npos) << lines[5];
  EXPECT_NE(lines.back().find("align.margin = 2: the largest that costs at most 25 % more"),
            std::string::npos)
      << lines.back();
}

TEST(OpenMargin, ABudgetThatIsAskedForIsKept) {
  const auto measure = [](const RunConfig&, int) {
    return costs({8, 9, 9.5, 10, 10.1, 12, 14, 16, 18});
  };
  const RunConfig config = with_margin(open_config({"align.budget=0.5"}), 1, {}, rule_of(measure));
  EXPECT_EQ(config.align.margin, 4.0);
  EXPECT_EQ(config.align.budget, 0.5);
}

TEST(OpenMargin, IsMeasuredOnlyWhereItIsOpenAndPlaysAPart) {
  const MarginRule never =
      rule_of([](const RunConfig&, int) -> std::vector<MarginCost> { throw Error("measured"); });
  RunConfig config = open_config();
  config.align.margin = 3;
  EXPECT_EQ(with_margin(config, 1, {}, never).align.margin, 3);
  config = open_config({"align.mode=weight"});
  const std::string problem = error_of([&] { with_margin(config, 1, {}, never); });
  EXPECT_NE(problem.find("align.mode = filter, not for weight"), std::string::npos) << problem;
}

// The machine's speed decides which number it is, but not that it is one.
TEST(OpenMargin, ARunMeasuresOnceAndKeepsTheNumber) {
  const TemporaryFolder root;
  std::vector<std::string> lines;
  const auto asked = [&](bool resume) {
    RunRequest request = small_run(root / "run", resume, {"align.margin=auto"});
    request.notice = [&](const std::string& line) { lines.push_back(line); };
    return request;
  };
  EXPECT_EQ(stopped_run(asked(false), 150).end, RunEnd::kStopped);
  const double margin = stored_config(root / "run").align.margin;
  EXPECT_EQ(std::count(kMargins.begin(), kMargins.end(), margin), 1) << margin;
  EXPECT_EQ(lines.size(), kMargins.size() + 3);
  lines.clear();
  EXPECT_EQ(run_training(asked(true)).end, RunEnd::kFinished);
  EXPECT_TRUE(lines.empty()) << lines.front();
  EXPECT_EQ(run_training(asked(true)).end, RunEnd::kAlreadyFinished);
  EXPECT_EQ(stored_config(root / "run").align.margin, margin);
}

}  // namespace
}  // namespace tarl::train
