// SPDX-License-Identifier: MIT
#include "tarl/train/scorer.h"

#include <cmath>

#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/train/choose.h"

namespace tarl::train {
namespace {

using test::error_of;

// Candidates whose errors are chosen freely; q is 0 for each critic.
struct Drawn {
  std::vector<float> q, y_online, y_offline;
  rl::Batch batch;
  int critics;

  Drawn(std::vector<float> online, std::vector<float> offline, std::vector<bool> terminal,
        int critic_count = 1)
      : q(online.size()),
        y_online(std::move(online)),
        y_offline(std::move(offline)),
        critics(critic_count) {
    batch.rows = static_cast<int>(terminal.size());
    batch.reward.assign(terminal.size(), 0.5F);
    for (const bool end : terminal) batch.discount.push_back(end ? 0.0F : 0.99F);
  }

  rl::Assessment assessment() const {
    return {.rows = batch.rows,
            .critics = critics,
            .q = q,
            .y_online = y_online,
            .y_offline = y_offline,
            .abs_error = {}};
  }

  align::Scores scored(Scorer& scorer, std::int64_t update) const {
    align::Scores scores;
    align::score_candidates({batch.rows, critics, q, y_online, y_offline}, scores);
    scorer.replace(assessment(), batch, update, scores);
    return scores;
  }
};

RunConfig config(std::vector<std::string> set) {
  set.insert(set.begin(), "batch_size=4");
  return resolve({.algo = "ta-dqn", .env = "classic/cartpole", .set = std::move(set)});
}

Scorer scorer(std::vector<std::string> set) {
  return Scorer(config(std::move(set)), seeded(3));
}

std::vector<std::int32_t> kept(const std::vector<double>& score) {
  std::vector<std::int32_t> rows = align::keep_best(score, 4);
  std::sort(rows.begin(), rows.end());
  return rows;
}

const Drawn kDrawn({1, 2, -1, 1, 1, 0, 3, 1}, {1, 1, 3, 4, 0, 1, 0.25F, -1},
                   {true, false, false, false, false, false, true, true});
const std::vector<double> kPaper = {1, 1, 0.2, 0.25, 0.5, 0, 1, 1.0 / 3};

void expect_near(const std::vector<double>& ours, const std::vector<double>& hand) {
  ASSERT_EQ(ours.size(), hand.size());
  for (std::size_t i = 0; i < hand.size(); ++i) EXPECT_NEAR(ours[i], hand[i], 1e-7) << i;
}

TEST(Scorer, LeavesThePapersScoreAlone) {
  Scorer paper = scorer({});
  const align::Scores scores = kDrawn.scored(paper, 1);
  expect_near(scores.score, kPaper);
  EXPECT_TRUE(scores.paper.empty());
}

TEST(Scorer, ReplacesItByTheScoreThatIsNamed) {
  const struct {
    const char* name;
    std::vector<double> hand;
  } cases[] = {{"direction", {1, 1, 0, 1, 0, 0, 1, 0}},
               {"error", {0.5, 0.5, 0.25, 0.2, 1, 0.5, 0.8, 0.5}},
               {"worst", {0, 0, 0.8, 0.75, 0.5, 1, 0, 2.0 / 3}},
               {"fresh", {1, 0.5, 0.2, 0.25, 0.5, 0.5, 1 / 3.75, 1.0 / 3}},
               {"signal", {1, 0.5, 3.0 / 7, 4.0 / 7, 0, 0.5, 1.0 / 12, 1.0 / 3}},
               {"above", {1, 1, 1, 1, 0, 1, 1, 0}},
               {"below", {0, 0, 0, 0, 0, 0, 0, 1}}};

  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Scorer other = scorer({std::string("align.score=") + c.name});
    const align::Scores scores = kDrawn.scored(other, 1);
    expect_near(scores.score, c.hand);
    expect_near(scores.alignment(), kPaper);
  }
}

TEST(Scorer, RandomDrawsDependOnNothingButSeedAndUpdate) {
  Scorer one = scorer({"align.score=random"}), two = scorer({"align.score=random"});
  kDrawn.scored(one, 1);
  const std::vector<double> scores = kDrawn.scored(one, 7).score;
  EXPECT_EQ(scores, kDrawn.scored(two, 7).score);
  EXPECT_NE(scores, kDrawn.scored(two, 8).score);
  Rng stream = score_stream(seeded(3));
  stream.counter = 6 * 8;
  for (const double score : scores) EXPECT_EQ(score, stream.uniform());
  double sum = 0;
  for (int update = 1; update <= 500; ++update) {
    for (const double score : kDrawn.scored(one, update).score) sum += score;
  }
  EXPECT_NEAR(sum / 4000, 0.5, 0.02);
}

TEST(Scorer, WithCriticsTheLeastScoreCounts) {
  // The paper's: 1 and 0.25.
  const Drawn two({1, 1}, {0.5F, 4}, {false}, 2);

  const struct {
    const char* name;
    double hand;
  } cases[] = {{"worst", 0.75}, {"error", 0.2}, {"direction", 1}, {"fresh", 0.25},
               {"signal", 0.5}, {"above", 1},   {"below", 0}};

  for (const auto& c : cases) {
    Scorer other = scorer({std::string("align.score=") + c.name});
    EXPECT_NEAR(two.scored(other, 1).score[0], c.hand, 1e-7) << c.name;
  }
}

TEST(Scorer, ExemptTerminalsAreKeptAsDrawnAndTheScoreChoosesTheRest) {
  Scorer exempt = scorer({"align.terminals=exempt"});
  const align::Scores scores = kDrawn.scored(exempt, 1);
  // Of the terminals 0, 6 and 7 the first is among the first four; of the others 1, 4 and 3 are
  // best.
  EXPECT_EQ(kept(scores.score), (std::vector<std::int32_t>{0, 1, 3, 4}));
  expect_near(scores.alignment(), kPaper);
}

TEST(Scorer, MatchKeepsAsManyTerminalsAsTheScoreOrTheShare) {
  Scorer by_score = scorer({"align.terminals=match"});
  // The score would keep 0, 1, 4 and 6.
  EXPECT_EQ(kept(kDrawn.scored(by_score, 1).score), (std::vector<std::int32_t>{0, 1, 2, 6}));
  Scorer quarter = scorer({"align.terminals=match", "align.terminal_share=0.25"});
  EXPECT_EQ(kept(kDrawn.scored(quarter, 1).score), (std::vector<std::int32_t>{0, 1, 2, 3}));
  Scorer all = scorer({"align.terminals=match", "align.terminal_share=1"});
  EXPECT_EQ(kept(kDrawn.scored(all, 1).score), (std::vector<std::int32_t>{0, 1, 6, 7}));
  Scorer some = scorer({"align.terminals=match", "align.terminal_share=0.375"});  // 1.5 of 4
  EXPECT_EQ(kept(kDrawn.scored(some, 1).score), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(kept(kDrawn.scored(some, 2).score), (std::vector<std::int32_t>{0, 1, 2, 6}));
}

TEST(Scorer, WeightsAreNormalisedOverTheRowsThatAreKept) {
  Scorer exempt = scorer({"align.terminals=exempt"});
  const align::Scores scores = kDrawn.scored(exempt, 1);
  const std::vector<float> importance = {0.5F, 0.25F, 4, 0.125F, 0.5F, 4, 4, 4};
  Kept rows;
  choose({.batch_size = 4, .oversampling = 4}, scores.score, importance, rows);
  EXPECT_EQ(rows.weight, (std::vector<float>{1, 0.5F, 0.25F, 1}));
}

TEST(Scorer, AForeignScoreSeesTheCandidate) {
  align::score_registry().add("test-facts", "", [](const align::Candidate& c) {
    return c.terminal ? c.reward : std::fabs(c.online_error - c.offline_error) / 8;
  });
  Scorer foreign = scorer({"align.score=test-facts"});
  expect_near(kDrawn.scored(foreign, 1).score, {0.5, 0.125, 0.5, 0.375, 0.125, 0.125, 0.5, 0.5});
}

TEST(Scorer, AForeignScoreOutOfRangeIsRefused) {
  align::score_registry().add("test-wild", "", [](const align::Candidate&) { return 1.5; });
  Scorer wild = scorer({"align.score=test-wild"});
  const std::string error = error_of([&] { kDrawn.scored(wild, 1); });
  EXPECT_NE(error.find("test-wild gives 1.5"), std::string::npos) << error;
}

TEST(Scorer, AnUnknownNameSuggestsTheNearest) {
  const std::string error = error_of([] { config({"align.score=directon"}); });
  EXPECT_NE(error.find("did you mean 'direction'"), std::string::npos) << error;
}

TEST(Scorer, RulesForTerminalsNeedAFilter) {
  for (const char* set : {"align.margin=0", "align.margin=0.1", "align.mode=weight"}) {
    for (const char* rule : {"align.terminals=exempt", "align.terminals=match"}) {
      const std::string error = error_of([&] { config({rule, set}); });
      EXPECT_NE(error.find("m + b candidates"), std::string::npos) << set << " " << rule << error;
    }
  }
}

}  // namespace
}  // namespace tarl::train
