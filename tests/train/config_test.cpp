// SPDX-License-Identifier: MIT
#include "tarl/train/config.h"

#include <gtest/gtest.h>

#include "tarl/agents/dqn_config.h"
#include "tarl/core/error.h"
#include "tarl/train/presets.h"

namespace tarl::train {
namespace {

std::string refusal(const ConfigRequest& request) {
  try {
    resolve(request);
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "";
}

TEST(Algorithm, NamesReadBack) {
  for (const std::string& name : algorithm_names()) EXPECT_EQ(parse_algorithm(name).name(), name);
  const Algorithm algorithm = parse_algorithm("ta-ddqn+reaper");
  EXPECT_EQ(algorithm.base, "ddqn");
  EXPECT_TRUE(algorithm.aligned);
  EXPECT_EQ(algorithm.replay, replay::Kind::kReaper);
}

TEST(Algorithm, UnknownNamesSuggestNearOnes) {
  EXPECT_NE(refusal({.algo = "ta-dqm"}).find("'ta-dqn'"), std::string::npos);
}

TEST(Resolve, PaperPresetIsTheDefaultOnMinAtar) {
  const RunConfig config = resolve({.algo = "ta-dqn", .env = "minatar/breakout"});
  EXPECT_EQ(config.steps, 2'000'000);
  EXPECT_EQ(config.train_freq, 4);
  EXPECT_EQ(config.agent.as<agents::DqnConfig>().loss, nn::LossKind::kHuber);
  EXPECT_EQ(config.align.margin, 1);
  EXPECT_EQ(config.oversampling(), 32);
}

TEST(Presets, OneThatIsNotADefaultIsUsedByNameAlone) {
  EXPECT_FALSE(find_preset("classic", "classic/cartpole").by_default);
  const RunConfig plain = resolve({.algo = "dqn", .env = "classic/cartpole"});
  const RunConfig tuned = resolve({.algo = "dqn", .env = "classic/cartpole", .preset = "classic"});
  EXPECT_NE(plain.train_freq, tuned.train_freq);
}

TEST(Resolve, NameSetsMarginReplayAndDoubleQ) {
  const RunConfig config = resolve({.algo = "ddqn+per"});
  EXPECT_TRUE(config.agent.as<agents::DqnConfig>().double_q);
  EXPECT_EQ(config.replay.kind, replay::Kind::kPer);
  EXPECT_EQ(config.oversampling(), 0);
  EXPECT_FALSE(config.needs_scores());
}

TEST(Resolve, FlagsBeatPresetsAndSetBeatsFlags) {
  const RunConfig config = resolve({.algo = "ta-dqn",
                                    .seed = "5",
                                    .steps = "1e5",
                                    .margin = "0.1",
                                    .set = {"steps=2e5", "align.kappa=2"}});
  EXPECT_EQ(config.seed, 5);
  EXPECT_EQ(config.steps, 200'000);
  EXPECT_EQ(config.oversampling(), 3);
  EXPECT_EQ(config.align.kappa, 2);
}

TEST(Resolve, RefusesWhatDoesNotFit) {
  EXPECT_NE(refusal({.env = "minatar/breakot"}).find("minatar/breakout"), std::string::npos);
  EXPECT_NE(refusal({.set = {"gama=0.9"}}).find("'gamma'"), std::string::npos);
  EXPECT_NE(refusal({.set = {"gamma=1.5"}}).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal({.steps = "-5"}).find("--steps"), std::string::npos);
  EXPECT_NE(refusal({.margin = "nan"}).find("--margin"), std::string::npos);
  EXPECT_NE(refusal({.steps = "50"}).find("eval.count"), std::string::npos);
}

TEST(ConfigToml, ReadsBackToTheSameSettings) {
  for (const char* algo : {"dqn", "ta-ddqn+per"}) {
    const RunConfig config =
        resolve({.algo = algo, .margin = "0.5", .set = {"learning_rate=1e-5"}});
    const RunConfig read = config_from_toml(config_to_toml(config, false), "config.toml");
    EXPECT_TRUE(differences(config, read).empty());
    EXPECT_EQ(config_to_toml(config, true), config_to_toml(read, true));
  }
}

TEST(ConfigToml, NamesFileAndLineOfAMistake) {
  try {
    config_from_toml("algo = \"dqn\"\nbatch_size = \"many\"\n", "x/config.toml");
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_NE(std::string(problem.what()).find("x/config.toml:2"), std::string::npos);
  }
}

TEST(Differences, LeaveOutWhatCannotChangeACurve) {
  const RunConfig a = resolve({.algo = "dqn"});
  const RunConfig b =
      resolve({.algo = "dqn", .set = {"checkpoint.every=7", "log.csv=false", "tau=0.5"}});
  EXPECT_EQ(differences(a, b), (std::vector<std::string>{"tau: 1.0 -> 0.5"}));
}

}  // namespace
}  // namespace tarl::train
