// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tarl/align/score_registry.h"

namespace tarl::align {
namespace {

struct Vector {
  double online, offline, direction, error, fresh, signal;
};

// By hand.
constexpr Vector kVectors[] = {
    {1, 1, 1, 0.5, 1, 1},           {3, 0.25, 1, 0.8, 1 / 3.75, 0.25 / 3},
    {-1, -3, 1, 0.25, 1. / 3, 0.6}, {1, -1, 0, 0.5, 1. / 3, 1. / 3},
    {-2, 4, 0, 0.2, 1. / 7, 0.4},   {0, 1, 0, 0.5, 0.5, 0.5},
    {1, 0, 0, 1, 0.5, 0},           {0, 0, 0, 1, 1, 0},
    {7, -9, 0, 0.1, 1. / 17, 0.36}, {1e-300, 1e-300, 1, 1, 1, 0},
};

TEST(Score, ControlsMatchTheHandComputedVectors) {
  for (const Vector& v : kVectors) {
    EXPECT_EQ(direction_score(v.online, v.offline), v.direction) << v.online << " " << v.offline;
    EXPECT_DOUBLE_EQ(error_score(v.offline), v.error) << v.offline;
    EXPECT_DOUBLE_EQ(fresh_score(v.online, v.offline), v.fresh) << v.online << " " << v.offline;
    EXPECT_NEAR(signal_score(v.online, v.offline), v.signal, 1e-8) << v.online << " " << v.offline;
  }
}

TEST(Score, WhatIsNotFiniteScoresZero) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {inf, -inf, std::nan("")}) {
    EXPECT_EQ(direction_score(bad, bad), 0);
    EXPECT_EQ(error_score(bad), 0);
    EXPECT_EQ(fresh_score(bad, 1), 0);
    EXPECT_EQ(signal_score(1, bad), 0);
    for (const ScoreKind kind : {ScoreKind::kAbove, ScoreKind::kBelow}) {
      EXPECT_EQ(control_score(kind, 1, bad, 0.5, 0.5), 0);
    }
  }
}

TEST(Score, EachKindTakesThePlaceOfThePapers) {
  const auto score = [](ScoreKind kind) { return control_score(kind, 1, 3, 0.375, 0.625); };
  EXPECT_EQ(score(ScoreKind::kPaper), 0.375);
  EXPECT_EQ(score(ScoreKind::kDirection), 1);
  EXPECT_EQ(score(ScoreKind::kError), 0.25);
  EXPECT_EQ(score(ScoreKind::kRandom), 0.625);
  EXPECT_EQ(score(ScoreKind::kWorst), 0.625);
  EXPECT_EQ(score(ScoreKind::kFresh), 1. / 3);
  EXPECT_NEAR(score(ScoreKind::kSignal), 0.6, 1e-8);
  EXPECT_EQ(score(ScoreKind::kAbove), 1);
  EXPECT_EQ(score(ScoreKind::kBelow), 0);
}

TEST(Score, TheSignOfTheOfflineErrorAloneDecidesAboveAndBelow) {
  for (const double online : {-2.0, 0.0, 2.0}) {
    for (const double offline : {-1e-300, 0.0, 3.0}) {
      const auto score = [&](ScoreKind kind) { return control_score(kind, online, offline, 0, 0); };
      EXPECT_EQ(score(ScoreKind::kAbove), offline > 0);
      EXPECT_EQ(score(ScoreKind::kBelow), offline < 0);
    }
  }
}

// A terminal transition's targets are equal.
TEST(Score, FreshAndSignalKeepTerminalsAndDoNotSeeSigns) {
  for (const double error : {0.001, 0.5, 20.0}) {
    EXPECT_EQ(fresh_score(error, error), 1);
    EXPECT_NEAR(signal_score(error, error), 1, 1e-4);
    for (const double other : {-3.0, 0.25}) {
      EXPECT_EQ(fresh_score(error, other), fresh_score(-error, -other));
      EXPECT_EQ(signal_score(error, other), signal_score(-error, -other));
    }
  }
}

TEST(ScoreRegistry, HasTheBuiltInScoresFirst) {
  const ScoreRegistry registry;
  ASSERT_EQ(registry.entries().size(), static_cast<std::size_t>(ScoreKind::kForeign));
  for (const char* name :
       {"paper", "direction", "error", "random", "worst", "fresh", "signal", "above", "below"}) {
    ASSERT_NE(registry.find(name), nullptr) << name;
  }
  EXPECT_EQ(registry.find("worst")->kind, ScoreKind::kWorst);
  EXPECT_EQ(registry.find("Paper"), nullptr);
}

TEST(ScoreRegistry, TakesAForeignScoreAndReplacesIt) {
  ScoreRegistry registry;
  registry.add("half", "a half", [](const Candidate&) { return 0.5; });
  registry.add("half", "reward alone", [](const Candidate& c) { return c.reward; });
  const ScoreEntry* entry = registry.find("half");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->kind, ScoreKind::kForeign);
  EXPECT_EQ(entry->help, "reward alone");
  EXPECT_EQ(entry->function({.reward = 0.25}), 0.25);
  EXPECT_EQ(registry.entries().size(), static_cast<std::size_t>(ScoreKind::kForeign) + 1);
}

TEST(ScoreRegistry, RefusesWhatItCannotKeep) {
  ScoreRegistry registry;
  const auto one = [](const Candidate&) { return 1.0; };
  EXPECT_THROW(registry.add("paper", "", one), std::invalid_argument);
  EXPECT_THROW(registry.add("", "", one), std::invalid_argument);
  EXPECT_THROW(registry.add("none", "", {}), std::invalid_argument);
}

}  // namespace
}  // namespace tarl::align
