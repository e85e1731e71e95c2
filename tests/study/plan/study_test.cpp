// SPDX-License-Identifier: MIT
#include "tarl/study/plan/study.h"

#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/envs/registry.h"

namespace tarl::study {
namespace {

constexpr const char* kSmall = R"(
title = "A title"
question = "Why?"
covers = ["Table 1"]
preset = "paper"
seeds = 3
baseline = "DQN"
controls = ["DQN"]
envs = ["minatar/breakout"]
[[conditions]]
label = "DQN"
algo = "dqn"
set = { align.log = true }
[[conditions]]
label = "TA-DQN b=3.0m"
algo = "ta-dqn"
margin = 3.0
[[conditions]]
label = "other"
algo = "dqn"
against = "TA-DQN b=3.0m"
set.batch_size = 64
set.loss = "mse"
)";

std::string complaint(const std::string& toml) {
  try {
    parse_study(toml, "mine", "mine.toml");
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Study, IsReadFromToml) {
  const Study study = parse_study(kSmall, "mine", "mine.toml");
  EXPECT_EQ(study.name, "mine");
  EXPECT_EQ(study.question, "Why?");
  EXPECT_EQ(study.seeds, 3);
  EXPECT_EQ(study.controls, std::vector<std::string>{"DQN"});
  ASSERT_EQ(study.conditions.size(), 3u);
  EXPECT_EQ(study.conditions[0].against, "");
  EXPECT_EQ(study.conditions[0].set.at("align.log"), "true");
  EXPECT_EQ(study.conditions[1].against, "DQN");  // the study's baseline
  EXPECT_EQ(study.conditions[1].margin, "3.0");
  EXPECT_EQ(study.conditions[2].against, "TA-DQN b=3.0m");
  EXPECT_EQ(study.conditions[2].set.at("batch_size"), "64");
}

TEST(Study, EverySeedIsItsOwn) {
  const std::string said = complaint(replaced(kSmall, "align.log = true", "seed = 5"));
  EXPECT_NE(said.find("same seed"), std::string::npos) << said;
}

TEST(Study, AGridThatNobodyCouldLookAtIsRefused) {
  std::string envs;
  for (int i = 0; i < 20; ++i) envs += "\"minatar/breakout\", ";
  std::string large = replaced(kSmall, "\"minatar/breakout\"", envs);
  large = replaced(large, "seeds = 3", "seeds = 2000");
  EXPECT_NE(complaint(large).find("20 environments, 3 conditions and 2000 seeds are more than"),
            std::string::npos);
}

TEST(Study, SurvivesBeingWrittenAndRead) {
  Study study = parse_study(kSmall, "mine", "mine.toml");
  study.steps = "10000";
  study.conditions[2].set["odd"] = "a \"quoted\" # word";
  const Study again = parse_study(study_to_toml(study), "", "study.toml");
  EXPECT_EQ(again.name, "mine");
  EXPECT_EQ(again.covers, study.covers);
  EXPECT_EQ(again.controls, study.controls);
  EXPECT_EQ(again.conditions[1], study.conditions[1]);
  EXPECT_EQ(again.conditions[2], study.conditions[2]);
  EXPECT_EQ(study_to_toml(again), study_to_toml(study));
}

TEST(Study, SaysWhereItIsWrong) {
  EXPECT_NE(complaint("seeds = = 3").find("mine.toml:1: not valid TOML"), std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "seeds", "sedes")).find("did you mean 'seeds'"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "algo = \"dqn\"", "")).find("names no algo"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "baseline = \"DQN\"", "baseline = \"SAC\"")).find("'SAC'"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "[\"DQN\"]", "[\"none\"]")).find("control 'none'"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "label = \"other\"", "label = \"dqn\"")).find("share"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "label = \"other\"", "label = \"../..\"")).find("folder"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(kSmall, "seeds = 3", "seeds = 0")).find("seeds"), std::string::npos);
  EXPECT_NE(complaint("seeds = 1").find("envs"), std::string::npos);
}

TEST(Study, KeysOfTooManyPartsAreRefused) {
  std::string key = "a";
  for (int i = 0; i < 60'000; ++i) key += ".a";
  for (const std::string& line : {"set." + key + " = 1", "[" + key + "]", key + " = 1"}) {
    EXPECT_THROW(parse_study(kSmall + line, "small", "small.toml"), UsageError);
  }
}

std::string labelled(const std::string& label) {
  return replaced(kSmall, "label = \"other\"", "label = \"" + label + "\"");
}

TEST(Study, SaysWhatIsWrongWithALabel) {
  EXPECT_EQ(complaint(labelled("../../evil")),
            "mine.toml: label '../../evil' would give the hidden folder ..-..-evil; rename it");
  EXPECT_EQ(complaint(labelled("μ")),
            "mine.toml: label 'μ' has no letters or digits to name a folder by; rename it");
  EXPECT_EQ(complaint(labelled("...")),
            "mine.toml: label '...' has no letters or digits to name a folder by; rename it");
  EXPECT_EQ(complaint(labelled(std::string(255, 'a'))), "");
  EXPECT_EQ(complaint(labelled(std::string(300, 'a'))),
            "mine.toml: label '" + std::string(60, 'a') +
                "' would give a folder name of 300 letters, at most 255 are possible; rename it");
}

TEST(Slug, NamesFoldersThatNeedNoQuoting) {
  EXPECT_EQ(slug("TA-DQN"), "ta-dqn");
  EXPECT_EQ(slug("DQN+PER"), "dqn+per");
  EXPECT_EQ(slug("TA-DQN (b=3.0m)"), "ta-dqn-b-3.0m");
  EXPECT_EQ(slug("  DQN / 2m  "), "dqn-2m");
  EXPECT_EQ(slug("μ"), "");
}

// A study whose environments are not all in this build cannot be resolved here.
bool is_built(const Study& study) {
  for (const std::string& env : study.envs) {
    try {
      envs::registry().find(env);
    } catch (const UsageError&) {
      return false;
    }
  }
  return true;
}

TEST(BuiltInStudies, ResolveInEveryEnvironmentOfThisBuild) {
  ASSERT_GE(studies().size(), 6u);
  for (const Study& study : studies()) {
    EXPECT_FALSE(study.title.empty()) << study.name;
    EXPECT_FALSE(study.question.empty()) << study.name;
    if (!is_built(study)) {
      std::printf("SKIPPED here: %s needs environments that are not in this build\n",
                  study.name.c_str());
      continue;
    }
    for (const Condition& condition : study.conditions) {
      for (const std::string& env : study.envs) {
        EXPECT_NO_THROW(resolve_run(study, condition, env, 0)) << study.name << condition.label;
      }
    }
  }
}

TEST(BuiltInStudies, HoldThePapersAblations) {
  const Study replay = find_study("minatar-replay");
  EXPECT_EQ(replay.envs.size(), 4u);
  EXPECT_EQ(replay.conditions.size(), 6u);
  const train::RunConfig reaper =
      resolve_run(replay, *replay.find("TA-ReaPER"), "minatar/asterix", 4);
  EXPECT_EQ(reaper.replay.kind, replay::Kind::kReaper);
  EXPECT_EQ(reaper.seed, 4);
  EXPECT_EQ(reaper.steps, 2'000'000);
  EXPECT_EQ(reaper.oversampling(), 32);
  EXPECT_EQ(replay.find("TA-ReaPER")->against, "DQN+ReaPER");

  const Study margin = find_study("minatar-margin");
  const auto drawn = [&margin](const char* label) {
    return resolve_run(margin, *margin.find(label), "minatar/freeway", 0).oversampling();
  };
  EXPECT_EQ(drawn("DQN"), 0);
  EXPECT_EQ(drawn("TA-DQN b=0.1m"), 3);  // floor(3.2)
  EXPECT_EQ(drawn("TA-DQN b=0.5m"), 16);
  EXPECT_EQ(drawn("TA-DQN b=3.0m"), 96);
  const train::RunConfig twice =
      resolve_run(margin, *margin.find("DQN (2m)"), "minatar/freeway", 0);
  EXPECT_EQ(twice.batch_size, 64);
  EXPECT_TRUE(twice.align.log);
}

TEST(FindStudy, SuggestsTheNearestName) {
  try {
    find_study("minatar-repaly");
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_NE(std::string(problem.what()).find("minatar-replay"), std::string::npos);
  }
}

}  // namespace
}  // namespace tarl::study
