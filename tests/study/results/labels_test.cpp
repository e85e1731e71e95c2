// SPDX-License-Identifier: MIT
#include "tarl/study/results/labels.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tarl::study {
namespace {

study::Run make_run(const std::string& folder, const std::string& algo, Settings config = {},
                    const std::string& env = "game/a") {
  study::Run run;
  run.folder = run.below_source = folder;
  run.env = env;
  run.algo = algo;
  run.config = std::move(config);
  return run;
}

std::vector<std::string> labels_of(const Labelled& labelled) {
  std::vector<std::string> labels;
  for (const Algorithm& algorithm : labelled.algorithms) labels.push_back(algorithm.label);
  return labels;
}

using Words = std::vector<std::string>;

// Without a study or labels.
Labelled label_loose(const std::vector<study::Run>& runs) {
  return label_runs(runs);
}

TEST(LabelRuns, TellsEachRunItsAlgorithm) {
  const std::vector<study::Run> runs = {make_run("a", "ta-dqn+per"), make_run("b", "dqn"),
                                        make_run("c", "dqn+per"), make_run("d", "dqn")};
  const Labelled labelled = label_loose(runs);
  EXPECT_EQ(labels_of(labelled), (Words{"DQN", "DQN+PER", "TA-DQN+PER"}));
  EXPECT_EQ(labelled.of_run, (std::vector<std::size_t>{2, 0, 1, 0}));
  EXPECT_EQ(labelled.algorithms[2].reference, 1U);
  EXPECT_FALSE(labelled.algorithms[0].reference);
}

TEST(LabelRuns, TheUsualBatchIsThatOfMostRunsOfAnEnvironment) {
  const auto batch = [](const char* size) { return Settings{{"batch_size", size}}; };
  const std::vector<study::Run> runs = {
      make_run("a", "dqn", batch("64")), make_run("b", "dqn", batch("32")),
      make_run("c", "dqn", batch("32")), make_run("d", "sac", batch("256")),
      // Of two that are equally common the smaller one; in another game another one.
      make_run("e", "dqn", batch("8"), "game/b"), make_run("f", "dqn", batch("4"), "game/b")};
  const Labelled labelled = label_loose(runs);
  EXPECT_EQ(labels_of(labelled), (Words{"DQN", "DQN (2m)", "SAC"}));
  EXPECT_EQ(labelled.of_run, (std::vector<std::size_t>{1, 0, 0, 2, 1, 0}));
  EXPECT_DOUBLE_EQ(labelled.algorithms[1].batch_ratio, 2);
}

TEST(LabelRuns, ABatchSizeThatIsNoNumberHasItsPlaceInTheOrder) {
  std::vector<study::Run> runs;
  for (const auto& [label, batch] : std::vector<std::pair<const char*, const char*>>{
           {"a", "32"}, {"b", "96"}, {"c", "nan"}, {"d", "64"}}) {
    runs.push_back(make_run(label, "dqn", {{"batch_size", batch}}));
    runs.back().label = label;
  }
  do {
    EXPECT_EQ(labels_of(label_loose(runs)), (Words{"a", "d", "b", "c"}));
  } while (std::next_permutation(
      runs.begin(), runs.end(),
      [](const study::Run& x, const study::Run& y) { return x.folder < y.folder; }));
}

TEST(LabelRuns, AMarginThatIsNoNumberHasItsPlaceInTheOrder) {
  std::vector<study::Run> runs;
  for (const char* margin : {"1", "3", "nan", "2"}) {
    runs.push_back(make_run(margin, "ta-dqn", {{"align.margin", margin}}));
  }
  const Labelled labelled = label_loose(runs);
  EXPECT_EQ(labels_of(labelled).size(), 4U);
  // NaN of a batch is no oversampling: a plain agent, before the aligned ones.
  EXPECT_EQ(labelled.of_run, (std::vector<std::size_t>{1, 3, 0, 2}));
}

TEST(LabelRuns, NamesWhatVariesWithinAFamilyOnly) {
  const std::vector<study::Run> runs = {make_run("a", "dqn", {{"gamma", "0.9"}, {"seed", "1"}}),
                                        make_run("b", "dqn", {{"gamma", "0.99"}, {"seed", "2"}}),
                                        make_run("c", "sac", {{"gamma", "0.5"}})};
  EXPECT_EQ(labels_of(label_loose(runs)), (Words{"DQN gamma=0.9", "DQN gamma=0.99", "SAC"}));
}

// Runs of the classic tasks with their preset beside a study of MinAtar.
TEST(LabelRuns, WhatVariesInOtherEnvironmentsDoesNotConcernAName) {
  const std::vector<study::Run> runs = {
      make_run("a", "dqn", {{"gamma", "0.9"}, {"tau", "1"}}),
      make_run("b", "dqn", {{"gamma", "0.99"}, {"tau", "1"}}),
      make_run("c", "dqn", {{"gamma", "0.9"}, {"tau", "1"}}, "game/b"),
      make_run("d", "dqn", {{"gamma", "0.5"}, {"tau", "0.1"}}, "pole/a"),
      make_run("e", "dqn", {{"gamma", "0.5"}, {"tau", "0.2"}}, "pole/a")};
  const Labelled labelled = label_loose(runs);
  EXPECT_EQ(labels_of(labelled),
            (Words{"DQN gamma=0.9", "DQN gamma=0.99", "DQN tau=0.1", "DQN tau=0.2"}));
  EXPECT_EQ(labelled.of_run, (std::vector<std::size_t>{0, 1, 0, 2, 3}));
}

TEST(LabelRuns, OfManySettingsANameHasThoseThatTellRunsApart) {
  const auto run = [](const char* folder, const char* algo, const char* gamma, const char* rest) {
    return make_run(folder, algo, {{"gamma", gamma}, {"loss", rest}, {"tau", rest}, {"x", rest}});
  };
  const std::vector<study::Run> runs = {run("a", "dqn", "0.9", "1"), run("b", "dqn", "0.8", "1"),
                                        run("c", "dqn", "0.7", "2"),
                                        run("d", "ta-dqn", "0.7", "2")};
  const Labelled labelled = label_loose(runs);
  EXPECT_EQ(labels_of(labelled),
            (Words{"DQN gamma=0.7 and 3 more", "DQN gamma=0.8 and 3 more",
                   "DQN gamma=0.9 and 3 more", "TA-DQN gamma=0.7 and 3 more"}));
  EXPECT_EQ(labelled.algorithms[3].reference, 0U);
}

TEST(LabelRuns, PairsByVariantAndListsLargerBatchesAsControls) {
  const std::vector<study::Run> runs = {
      make_run("a", "dqn", {{"batch_size", "32"}}), make_run("b", "dqn", {{"batch_size", "32"}}),
      make_run("c", "dqn", {{"batch_size", "64"}}),
      make_run("d", "ta-dqn", {{"batch_size", "32"}, {"align.margin", "0.5"}})};
  const Labelled labelled = label_loose(runs);
  EXPECT_EQ(labels_of(labelled), (Words{"DQN", "DQN (2m)", "TA-DQN b=0.5m"}));
  EXPECT_EQ(labelled.algorithms[2].reference, 0U);
  EXPECT_EQ(labelled.algorithms[2].controls, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace tarl::study
