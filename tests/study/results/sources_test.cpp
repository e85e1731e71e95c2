// SPDX-License-Identifier: MIT
#include "study/results_fixture.h"

#include "tarl/study/results/source.h"

namespace tarl::study {
namespace {

using synthetic::RunSpec;
using synthetic::write_run;

using SourcesTest = ResultsTest;

// A study's folder: two conditions with runs of their own, in an order that no sorting gives.
void write_study(const fs::path& root, const std::string& more = "") {
  fs::create_directories(root);
  write_file_durably(root / "study.toml",
                     "name = \"mine\"\ntitle = \"T\"\nquestion = \"why?\"\nseeds = 2\n"
                     "baseline = \"Plain\"\n" +
                         more +
                         "envs = [\"minatar/breakout\"]\n"
                         "[[conditions]]\nlabel = \"New\"\nalgo = \"ta-dqn\"\n"
                         "set = { gamma = 0.9, align.log = true }\n"
                         "[[conditions]]\nlabel = \"Double\"\nalgo = \"dqn\"\n"
                         "set = { batch_size = 64 }\n"
                         "[[conditions]]\nlabel = \"Plain\"\nalgo = \"dqn\"\n");
  for (const char* folder : {"new", "double", "plain"}) {
    for (const int seed : {0, 1}) {
      RunSpec spec;
      spec.seed = seed;
      if (folder == std::string("new"))
        spec.algo = "ta-dqn", spec.margin = 1, spec.extra = "gamma = 0.9\n";
      if (folder == std::string("double")) spec.batch = 64;
      write_run(root / "minatar/breakout" / folder / ("seed" + std::to_string(seed)), spec);
    }
  }
}

TEST_F(SourcesTest, AStudySaysWhatItsConditionsAre) {
  write_study(root(), "controls = [\"Double\"]\ncovers = [\"Table 7\", \"Figure 5\"]\n");
  const Results results = read_results(root());
  EXPECT_EQ(results.study, "mine");
  EXPECT_EQ(results.title, "T");
  EXPECT_EQ(results.question, "why?");
  EXPECT_EQ(results.covers, (std::vector<std::string>{"Table 7", "Figure 5"}));
  EXPECT_EQ(labels(results), (std::vector<std::string>{"New", "Double", "Plain"}));
  EXPECT_EQ(results.algorithms[0].reference, 2U);
  EXPECT_EQ(results.algorithms[0].controls, std::vector<std::size_t>{1});
  EXPECT_EQ(results.algorithms[0].variant, "gamma=0.9");
  EXPECT_TRUE(results.algorithms[0].align_variant.empty());
  EXPECT_EQ(results.algorithms[1].reference, 2U);
  EXPECT_TRUE(results.algorithms[1].controls.empty());
  EXPECT_DOUBLE_EQ(results.algorithms[1].batch_ratio, 2);
  EXPECT_FALSE(results.algorithms[2].reference);
  EXPECT_TRUE(results.problems.empty());
}

TEST_F(SourcesTest, AStudyMissesTheRunsItPlanned) {
  write_study(root());
  fs::remove_all(root() / "minatar/breakout/plain/seed1");
  const Results results = read_results(root());
  ASSERT_EQ(results.problems.size(), 1U);
  EXPECT_EQ(results.problems[0].where, "minatar/breakout/plain/seed1");
  EXPECT_EQ(results.problems[0].kind, ProblemKind::kMissing);
}

TEST_F(SourcesTest, AStudyThatCannotBeReadIsAFolderLikeAnyOther) {
  write_study(root());
  write_file_durably(root() / "study.toml", std::string_view("seeds = many"));
  const Results results = read_results(root());
  EXPECT_TRUE(mentions(results, root().string(), "study.toml"));
  EXPECT_FALSE(results.covers);
  EXPECT_EQ(labels(results), (std::vector<std::string>{"DQN", "DQN (2m)", "TA-DQN"}));
}

TEST_F(SourcesTest, TwoStudiesAreToldApartByTheirLabels) {
  write_study(root() / "a");
  write_study(root() / "b");
  const std::vector<fs::path> folders = {root() / "a", root() / "b"};
  ReadOptions options;
  options.labels = {"old", "new"};
  const Results results = read_results(folders, options);
  EXPECT_EQ(labels(results), (std::vector<std::string>{"Plain (old)", "Plain (new)", "Double (old)",
                                                       "Double (new)", "New (old)", "New (new)"}));
  EXPECT_EQ(results.algorithms[4].reference, 0U);
  EXPECT_EQ(results.algorithms[5].reference, 1U);
  EXPECT_EQ(results.algorithms[5].versions, std::vector<std::size_t>{4});
  EXPECT_EQ(results.runs[0].folder, (root() / "a/minatar/breakout/double/seed0"));
  // Without labels the folders' names do.
  EXPECT_EQ(labels(read_results(folders)),
            (std::vector<std::string>{"Plain (a)", "Plain (b)", "Double (a)", "Double (b)",
                                      "New (a)", "New (b)"}));
}

TEST_F(SourcesTest, ALabelThatStandsForOneConditionIsItsName) {
  write_run(root() / "x", {});
  RunSpec labelled;
  labelled.extra = "label = \"cosine\"";
  write_run(root() / "y", labelled);
  ReadOptions options;
  options.labels = {"paper's", ""};
  const Results results = read_results({root() / "x", root() / "y"}, options);
  EXPECT_EQ(labels(results), (std::vector<std::string>{"paper's", "cosine"}));
  EXPECT_EQ(results.algorithms[1].versions, std::vector<std::size_t>{0});
  EXPECT_TRUE(results.problems.empty());
}

TEST_F(SourcesTest, FoldersOfOneConditionAreOneWhereNothingSpeaksAgainstIt) {
  RunSpec spec;
  write_run(root() / "x", spec);
  spec.seed = 1;
  write_run(root() / "y", spec);
  const Results results = read_results({root() / "x", root() / "y"});
  EXPECT_EQ(labels(results), std::vector<std::string>{"DQN"});
  EXPECT_EQ(results.cell(0, 0).size(), 2U);
}

TEST_F(SourcesTest, ASeedIsNamedWithTheFolderAroundIt) {
  RunSpec spec;
  spec.seed = 8;
  write_run(root() / "dqn" / "seed8", spec);
  write_run(root() / "seedling", spec);
  const Results results = read_results({root() / "dqn" / "seed8", root() / "seedling"});
  EXPECT_EQ(results.study, "dqn/seed8, seedling");
}

TEST_F(SourcesTest, AFolderInsideAnotherIsCountedOnceByItsOwnLabel) {
  RunSpec spec;
  write_run(root() / "all" / "x", spec);
  spec.seed = 1;
  write_run(root() / "all" / "y", spec);
  fs::create_directory_symlink("x", root() / "all" / "link");
  ReadOptions options;
  options.labels = {"", "best"};
  const Results results = read_results({root() / "all", root() / "all" / "y"}, options);
  EXPECT_EQ(labels(results), (std::vector<std::string>{"DQN", "best"}));
  EXPECT_EQ(results.runs.size(), 2U);
  EXPECT_TRUE(mentions(results, "link", "counted already"));
}

TEST_F(SourcesTest, RunsWithTheSameSeedAreShownByTheirFolders) {
  for (const char* folder : {"new/0", "new/1", "old/0", "old/1"}) {
    RunSpec spec;
    spec.seed = std::string(folder).back() - '0';
    write_run(root() / folder, spec);
  }
  const Results results = read_results(root());
  EXPECT_EQ(labels(results), (std::vector<std::string>{"DQN (new)", "DQN (old)"}));
  EXPECT_EQ(results.cell(0, 1).size(), 2U);
  ASSERT_EQ(results.problems.size(), 1U);
  EXPECT_TRUE(mentions(results, "runs", "share environment, settings and seed"));
}

TEST_F(SourcesTest, ARepeatedRunAmongManyGetsAnEntryOfItsOwn) {
  for (const char* name : {"a", "b", "c", "d"}) {
    RunSpec spec;
    spec.seed = name[0] == 'd' ? 0 : name[0] - 'a';
    write_run(root() / name, spec);
  }
  const Results results = read_results(root());
  EXPECT_EQ(labels(results), (std::vector<std::string>{"DQN", "DQN (d)"}));
  EXPECT_EQ(results.cell(0, 0).size(), 3U);
  EXPECT_EQ(results.cell(0, 1).size(), 1U);
}

TEST_F(SourcesTest, DifferentEvaluationStepsMeetOnTheCoarsestOfTheCommonLength) {
  RunSpec spec;
  spec.steps = 1200;
  spec.evaluations = spec.planned = 12;
  write_run(root() / "fine", spec);
  spec.steps = 900;
  spec.evaluations = spec.planned = 3;
  write_run(root() / "coarse", spec);
  ReadOptions options;
  options.labels = {"fine", "coarse"};
  const Results results = read_results({root() / "fine", root() / "coarse"}, options);
  const Environment& environment = results.environments[0];
  EXPECT_EQ(environment.timesteps, (std::vector<std::int64_t>{300, 600, 900}));
  EXPECT_NE(environment.sharing.find("2 different sequences of evaluation steps"),
            std::string::npos);
  EXPECT_NE(environment.sharing.find("the longest run has 1200 steps"), std::string::npos);
  EXPECT_NE(environment.sharing.find("coarse ends there"), std::string::npos);
  for (const study::Run& run : results.runs) EXPECT_EQ(run.curve.size(), 3U);
  EXPECT_DOUBLE_EQ(results.runs[0].curve[1], results.runs[0].mean_returns[5]);
  EXPECT_EQ(results.runs[0].mean_returns.size(), 12U);
  EXPECT_TRUE(results.problems.empty());
}

TEST_F(SourcesTest, ARunWithoutUpdatesIsMarkedAndSetsNoSteps) {
  RunSpec spec;
  spec.extra = "learning_starts = 300\ntrain_freq = 4\n";
  write_run(root() / "long", spec);
  spec.steps = 200;
  spec.evaluations = spec.planned = 2;
  write_run(root() / "short", spec);
  ReadOptions options;
  options.labels = {"long", "short"};
  const Results results = read_results({root() / "long", root() / "short"}, options);
  EXPECT_EQ(results.environments[0].timesteps.size(), 10U);
  EXPECT_EQ(results.environments[0].first_trained, 3U);  // of 100, 200, 300, 400, ...
  EXPECT_TRUE(results.environments[0].sharing.empty());
  EXPECT_EQ(results.cell(0, 0).size() + results.cell(0, 1).size(), 2U);
  EXPECT_FALSE(results.runs[1].trained());
  EXPECT_EQ(results.runs[1].curve.size(), 2U);
  ASSERT_EQ(results.problems.size(), 1U);
  EXPECT_EQ(results.problems[0].kind, ProblemKind::kUntrained);
  EXPECT_TRUE(mentions(results, "short", "no update"));
}

}  // namespace
}  // namespace tarl::study
