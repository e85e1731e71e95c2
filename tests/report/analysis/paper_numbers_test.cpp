// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/paper_numbers.h"

#include <gtest/gtest.h>

#include "tarl/statistics/descriptive.h"

namespace tarl::report {
namespace {

const PaperTable& table(const std::string& id) {
  for (const PaperTable& one : paper_tables()) {
    if (id == one.id) return one;
  }
  throw std::logic_error("no table " + id);
}

TEST(PaperNumbers, TablesAreRectangular) {
  for (const PaperTable& one : paper_tables()) {
    EXPECT_EQ(one.steps.size(), one.environments.size());
    for (const PaperRow& row : one.rows) EXPECT_EQ(row.nauc.size(), one.environments.size());
  }
}

// The averages the paper prints below its tables, from the entries above them.
TEST(PaperNumbers, AveragesAreThePapers) {
  const PaperTable& atari = table("paper-atari");
  EXPECT_NEAR(statistics::mean(atari.rows[0].nauc), 0.174, 0.0006);
  EXPECT_NEAR(statistics::mean(atari.rows[1].nauc), 0.323, 0.0006);
  EXPECT_NEAR(statistics::population_sd(atari.rows[0].nauc), 0.10, 0.005);
  const PaperTable& control = table("paper-control");
  EXPECT_NEAR(statistics::mean(control.rows[0].nauc), 0.640, 0.0007);
  EXPECT_NEAR(statistics::mean(control.rows[1].nauc), 0.705, 0.0006);
  const statistics::Gains gains = statistics::gains(control.rows[0].nauc, control.rows[1].nauc);
  EXPECT_NEAR(gains.mean_of_ratios, 10.65, 0.1);
  EXPECT_NEAR(statistics::mean(table("paper-replay").rows[3].nauc), 0.433, 0.0006);
  EXPECT_NEAR(statistics::mean(table("paper-margin").rows[5].nauc), 0.582, 0.0006);
}

TEST(PaperNumbers, RowsAreFoundByWhatAnAgentIs) {
  study::Algorithm agent;
  agent.base = "dqn";
  agent.replay = replay::Kind::kPer;
  EXPECT_STREQ(paper_row(table("paper-replay"), agent)->label, "DQN + PER");
  agent.mode = align::Mode::kFilter;
  agent.margin = 1;
  EXPECT_STREQ(paper_row(table("paper-replay"), agent)->label, "TA-PER");
  EXPECT_EQ(paper_row(table("paper-margin"), agent), nullptr);
  agent.mode = align::Mode::kWeight;
  EXPECT_EQ(paper_row(table("paper-replay"), agent), nullptr);
}

TEST(PaperNumbers, ColumnsAreFoundByAnySpelling) {
  EXPECT_EQ(paper_column(table("paper-replay"), "minatar/space_invaders"), 3U);
  EXPECT_EQ(paper_column(table("paper-atari"), "atari/name_this_game"), 6U);
  EXPECT_EQ(paper_column(table("paper-control"), "box2d/bipedal_walker"), 1U);
  EXPECT_FALSE(paper_column(table("paper-replay"), "minatar/seaquest"));
}

}  // namespace
}  // namespace tarl::report
