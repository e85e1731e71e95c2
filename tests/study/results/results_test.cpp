// SPDX-License-Identifier: MIT
#include "tarl/study/results/results.h"

#include <algorithm>

#include "study/results_fixture.h"

#include "tarl/core/error.h"

namespace tarl::study {
namespace {

using synthetic::RunSpec;
using synthetic::write_run;

TEST_F(ResultsTest, ReadsARunAsWritten) {
  RunSpec spec;
  spec.seed = 3;
  write_run(root() / "a", spec);
  const Results results = read_results(root());
  ASSERT_EQ(results.runs.size(), 1U);
  const study::Run& run = results.runs[0];
  EXPECT_EQ(run.folder, "a");
  EXPECT_EQ(run.env, "minatar/breakout");
  EXPECT_EQ(run.seed, 3);
  EXPECT_EQ(run.status, store::RunStatus::kFinished);
  EXPECT_DOUBLE_EQ(run.wall_seconds, 60);
  EXPECT_EQ(run.resumes, 1);
  EXPECT_EQ(run.info.at("libraries.ale"), "x");
  EXPECT_EQ(run.info.at("command"), "tarl train --algo dqn");
  EXPECT_EQ(run.timesteps.back(), 1000);
  const std::vector<double> returns = synthetic::made_up_returns(spec);
  EXPECT_DOUBLE_EQ(run.mean_returns[0], statistics::mean(std::span(returns).first(5)));
  EXPECT_DOUBLE_EQ(run.returns[9][4], returns.back());
  EXPECT_DOUBLE_EQ(run.progress.at("train/n_updates").back(), 250);
  EXPECT_TRUE(results.problems.empty());
}

TEST_F(ResultsTest, TheCommandOfARunCanBePasted) {
  write_run(root() / "a", {});
  synthetic::write_plainly(root() / "a" / "run.json",
                           R"({"command": ["tarl", "train", "--set", "label=two words"]})");
  EXPECT_EQ(read_results(root()).runs.at(0).info.at("command"),
            "tarl train --set 'label=two words'");
}

TEST_F(ResultsTest, TheFolderMayBeTheRunItself) {
  write_run(root(), {});
  EXPECT_EQ(read_results(root()).runs.size(), 1U);
}

TEST_F(ResultsTest, SortsTheReplayStudyWithItsBaselines) {
  synthetic::write_replay_study(root(), {"minatar/breakout", "minatar/freeway"}, 2, 5);
  const Results results = read_results(root());
  EXPECT_EQ(labels(results), (std::vector<std::string>{"DQN", "TA-DQN", "DQN+PER", "TA-DQN+PER",
                                                       "DQN+ReaPER", "TA-DQN+ReaPER"}));
  for (const std::size_t aligned : {1U, 3U, 5U}) {
    EXPECT_EQ(results.algorithms[aligned].reference, aligned - 1);
  }
  EXPECT_EQ(results.cell(1, 3).size(), 2U);
  EXPECT_TRUE(results.problems.empty());
}

TEST_F(ResultsTest, MarginsAndDoubledBatchesAreTheirOwnAlgorithms) {
  for (const double margin : {0.0, 0.1, 0.5, 1.0, 3.0}) {
    RunSpec spec;
    spec.algo = margin > 0 ? "ta-dqn" : "dqn";
    spec.margin = margin;
    write_run(root() / std::to_string(margin), spec);
  }
  RunSpec doubled;
  doubled.batch = 64;
  write_run(root() / "doubled", doubled);
  const Results results = read_results(root());
  EXPECT_EQ(labels(results),
            (std::vector<std::string>{"DQN", "DQN (2m)", "TA-DQN b=0.1m", "TA-DQN b=0.5m",
                                      "TA-DQN b=1.0m", "TA-DQN b=3.0m"}));
  EXPECT_EQ(results.algorithms[5].reference, 0U);
  EXPECT_EQ(results.algorithms[5].controls, std::vector<std::size_t>{1});
}

TEST_F(ResultsTest, OtherSettingsThatVaryJoinTheLabelAndThePairing) {
  for (const char* interval : {"500", "1000"}) {
    for (const double margin : {0.0, 1.0}) {
      RunSpec spec;
      spec.algo = margin > 0 ? "ta-dqn" : "dqn";
      spec.margin = margin;
      spec.extra = std::string("target_update_interval = ") + interval;
      write_run(root() / interval / std::to_string(margin), spec);
    }
  }
  const Results results = read_results(root());
  ASSERT_EQ(results.algorithms.size(), 4U);
  for (const Algorithm& algorithm : results.algorithms) {
    if (!algorithm.aligned()) continue;
    EXPECT_NE(algorithm.label.find("target_update_interval="), std::string::npos);
    ASSERT_TRUE(algorithm.reference);
    EXPECT_EQ(results.algorithms[*algorithm.reference].variant, algorithm.variant);
  }
}

TEST_F(ResultsTest, ListsAreLabelledAsASettingIsWritten) {
  for (const char* sizes : {"[32]", "[64, 32]"}) {
    RunSpec spec;
    spec.extra = std::string("policy.net_arch = ") + sizes;
    write_run(root() / sizes, spec);
  }
  EXPECT_EQ(labels(read_results(root())),
            (std::vector<std::string>{"DQN policy.net_arch=[32]", "DQN policy.net_arch=[64, 32]"}));
}

TEST_F(ResultsTest, ChoicesThatAnOldRunLeftOpenDoNotSetItApart) {
  RunSpec spec;
  spec.algo = "dqn+reaper";
  spec.extra = "environment.sticky_actions = -1.0\npolicy.net_arch = []\n";
  write_run(root() / "old" / "seed0", spec);
  spec.seed = 1;
  spec.extra = "environment.sticky_actions = 0.1\npolicy.net_arch = [128]\n";
  write_run(root() / "new" / "seed1", spec);
  EXPECT_EQ(labels(read_results(root())), std::vector<std::string>{"DQN+ReaPER"});
}

TEST_F(ResultsTest, ATooSmallMarginIsThePlainAgent) {
  RunSpec spec;
  spec.algo = "ta-dqn";
  spec.margin = 0.01;  // floor(0.32) = 0
  write_run(root() / "a", spec);
  EXPECT_EQ(labels(read_results(root())), std::vector<std::string>{"DQN"});
}

TEST_F(ResultsTest, SeedsOfRunsThatAreNoPairsAreNotMissing) {
  RunSpec spec;
  write_run(root() / "plain", spec);
  spec.algo = "ta-dqn";
  spec.margin = 1;
  spec.seed = 1;
  write_run(root() / "aligned", spec);
  spec = {};
  spec.extra = "learning_starts = 5000\n";  // no update
  spec.seed = 1;
  write_run(root() / "untrained", spec);
  const Results results = read_results(root());
  EXPECT_TRUE(std::none_of(results.problems.begin(), results.problems.end(),
                           [](const auto& one) { return one.kind == ProblemKind::kMissing; }));
}

TEST_F(ResultsTest, ListsWhatIsMissingFailedOrUnfinished) {
  for (const int seed : {0, 1, 2}) {
    RunSpec spec;
    spec.seed = seed;
    write_run(root() / "dqn" / std::to_string(seed), spec);
    spec.algo = "ta-dqn";
    spec.margin = 1;
    if (seed == 1) spec.status = "failed";
    if (seed == 2) spec.evaluations = 4, spec.status = "running";
    write_run(root() / "ta-dqn" / std::to_string(seed), spec);
  }
  fs::remove_all(root() / "dqn" / "2");
  const Results results = read_results(root());
  EXPECT_TRUE(mentions(results, "ta-dqn/1", "failed"));
  EXPECT_TRUE(mentions(results, "ta-dqn/2", "unfinished (running, 4 of 10 evaluations)"));
  EXPECT_TRUE(mentions(results, "DQN / seed 2", "missing"));
  EXPECT_EQ(results.problems.size(), 3U);
  EXPECT_EQ(results.cell(0, 0).size(), 2U);
  EXPECT_EQ(results.cell(0, 1).size(), 1U);
}

TEST_F(ResultsTest, UnfinishedRunsCountAsFarAsAllGotWhenAsked) {
  RunSpec spec;
  write_run(root() / "a", spec);
  spec.seed = 1;
  spec.evaluations = 4;
  spec.status = "running";
  write_run(root() / "b", spec);
  ReadOptions options;
  options.include_unfinished = true;
  const Results results = read_results(root(), options);
  EXPECT_EQ(results.cell(0, 0).size(), 2U);
  EXPECT_EQ(results.environments[0].timesteps.size(), 4U);
  EXPECT_EQ(results.runs[0].curve.size(), 4U);
  EXPECT_FALSE(results.partial);
  ASSERT_EQ(results.problems.size(), 1U);  // reported once
  EXPECT_TRUE(mentions(results, "b", "counted as far as it got"));
}

TEST_F(ResultsTest, AStudyWithoutAnyCompleteRunIsPartial) {
  RunSpec spec;
  spec.evaluations = 4;
  spec.status = "running";
  write_run(root() / "a", spec);
  const Results results = read_results(root());
  EXPECT_TRUE(results.partial);
  EXPECT_EQ(results.cell(0, 0).size(), 1U);
}

TEST_F(ResultsTest, DamagedFilesBecomeProblems) {
  write_run(root() / "good", {});
  RunSpec other;
  other.seed = 1;
  write_run(root() / "bad", other);
  write_file_durably(root() / "bad" / "evaluations.npz", std::string_view("not a zip"));
  write_run(root() / "worse", other);
  write_file_durably(root() / "worse" / "config.toml", std::string_view("algo = [["));
  write_file_durably(root() / "baselines.json", std::string_view("{\"x\": 3}"));
  const Results results = read_results(root());
  EXPECT_TRUE(mentions(results, "bad", "cannot read evaluations.npz"));
  EXPECT_TRUE(mentions(results, "worse", "cannot read config.toml"));
  EXPECT_TRUE(mentions(results, "baselines.json", "not as expected"));
  EXPECT_EQ(results.cell(0, 0).size(), 1U);
}

TEST_F(ResultsTest, AFileThatCannotBeOpenedDamagesItsRunAlone) {
  for (const char* file : {"config.toml", "run.json", "evaluations.npz", "progress.csv"}) {
    fs::remove_all(root() / "a");
    write_run(root() / "a", {});
    write_run(root() / "b", {.seed = 1});
    fs::remove(root() / "a" / file);
    fs::create_symlink(file, root() / "a" / file);  // leads to itself
    const Results results = read_results(root());
    const bool readable = std::string(file) != "config.toml";
    EXPECT_EQ(results.runs.size(), readable ? 2U : 1U) << file;
    EXPECT_TRUE(mentions(results, "a", std::string("cannot read ") + file)) << file;
  }
}

// Nor does a run whose evaluations go backwards, though runs are compared by their steps.
TEST_F(ResultsTest, StepsOutOfOrderAreDamage) {
  write_run(root() / "a", {});
  store::Evaluations bad{.timesteps = {300, 200, 100}, .returns = {1, 2, 3}, .lengths = {1, 2, 3}};
  store::write_evaluations(root() / "a" / "evaluations.npz", bad);
  EXPECT_TRUE(mentions(read_results(root()), "a", "out of order"));
}

TEST_F(ResultsTest, AConfigOfAnyDepthIsDamage) {
  RunSpec deep;
  deep.extra = "[a";
  for (int i = 0; i < 20'000; ++i) deep.extra += ".a";
  deep.extra += "]\n";
  write_run(root() / "good", {});
  write_run(root() / "deep", deep);
  EXPECT_TRUE(mentions(read_results(root()), "deep", "cannot read config.toml:6: not valid TOML"));
}

TEST_F(ResultsTest, ReturnsThatAreNotFiniteAreDamage) {
  RunSpec spec;
  spec.skill = INFINITY;
  write_run(root() / "a", spec);
  const Results results = read_results(root());
  EXPECT_TRUE(mentions(results, "a", "not finite"));
  EXPECT_TRUE(results.cell(0, 0).empty());
}

TEST_F(ResultsTest, CutProgressLinesAreSkipped) {
  write_run(root() / "a", {});
  write_file_durably(root() / "a" / "progress.csv",
                     std::string_view("time/total_timesteps,x\n10,\n20,2\n3"));
  const study::Run run = read_run(root(), root() / "a");
  ASSERT_EQ(run.progress.at("x").size(), 2U);
  EXPECT_TRUE(std::isnan(run.progress.at("x")[0]));
  EXPECT_DOUBLE_EQ(run.progress.at("x")[1], 2);
}

TEST_F(ResultsTest, RandomBaselinesSayWhoSetThem) {
  for (const char* env : {"minatar/breakout", "minatar/freeway", "classic/cart_pole"}) {
    RunSpec spec;
    spec.env = env;
    write_run(root() / env, spec);
  }
  write_file_durably(root() / "baselines.json",
                     std::string_view(R"({"minatar/breakout": {"mean": 0.5, "se": 0.01,
                                          "episodes": 100}})"));
  const Results results = read_results(root());
  const auto& cart_pole = results.environments[0].random_score;
  EXPECT_FALSE(cart_pole.known);
  EXPECT_DOUBLE_EQ(cart_pole.mean, *std::min_element(results.runs[0].mean_returns.begin(),
                                                     results.runs[0].mean_returns.end()));
  EXPECT_DOUBLE_EQ(results.environments[1].random_score.mean, 0.5);
  EXPECT_NE(results.environments[1].random_score.source.find("100 random episodes"),
            std::string::npos);
  EXPECT_DOUBLE_EQ(results.environments[2].random_score.mean, 0.39);
  EXPECT_NE(results.environments[2].random_score.source.find("built-in"), std::string::npos);
}

TEST_F(ResultsTest, AMissingFolderIsAnError) {
  EXPECT_THROW(read_results(root() / "nowhere"), Error);
  EXPECT_TRUE(read_results(root()).runs.empty());
}

TEST(EnvironmentKey, IsOneSpelling) {
  EXPECT_EQ(environment_key("MinAtar/SpaceInvaders-v1"), "minatar/spaceinvaders");
  EXPECT_EQ(environment_key("minatar/space_invaders"), "minatar/spaceinvaders");
  EXPECT_EQ(environment_key("mujoco/walker2d"), "mujoco/walker2d");
  EXPECT_EQ(environment_key("Walker2d-v4"), "walker2d");
}

}  // namespace
}  // namespace tarl::study
