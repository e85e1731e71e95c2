// SPDX-License-Identifier: MIT
//
// A custom agent is named, configured and refused like the built-in ones.
#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/agents/dqn.h"
#include "tarl/train/config.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/presets.h"

namespace tarl::train {
namespace {

struct MineConfig {
  agents::DqnConfig dqn;
  double spice = 0.25;
};

Fields fields(MineConfig& config) {
  Fields table = agents::fields(config.dqn);
  table.push_back(number("mine.spice", config.spice, 0, 1, "how hot"));
  return table;
}

struct ClashConfig {
  double gamma = 1;
};

Fields fields(ClashConfig& config) {
  return {number("gamma", config.gamma, 0, 1, "hides the run's")};
}

// Created as DQN; only its settings differ.
struct MineAgent {
  static agents::Entry entry(const char* name) {
    agents::Entry out = agents::registry().find("dqn");
    out.name = name;
    out.agent = typeid(MineAgent);
    out.on_devices = false;
    out.settings = [] { return agents::Settings(MineConfig{}); };
    out.complete = [](agents::Settings& settings, rl::ObsKind obs, int) {
      settings.as<MineConfig>().dqn = agents::completed(settings.as<MineConfig>().dqn, obs);
    };
    out.bytes = [](const agents::Settings&, const agents::Task&) { return 1000.0; };
    out.make = [](const agents::Settings& settings, const agents::Task& task, Rng init,
                  Team& team) {
      return std::make_unique<agents::DqnAgent>(settings.as<MineConfig>().dqn, task.obs,
                                                task.action, task.max_rows, init, team);
    };
    return out;
  }
};

class OwnAgent : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    agents::Entry mine = MineAgent::entry("mine");
    mine.defaults = {"batch_size=48", "mine.spice=0.5"};
    mine.presets_of = "dqn";
    agents::registry().add(mine);
  }
};

TEST_F(OwnAgent, HasAlgorithmsOfItsName) {
  EXPECT_EQ(parse_algorithm("ta-mine+per").base, "mine");
  EXPECT_GT(rank_of_base("mine"), rank_of_base("ddpg"));
  EXPECT_EQ(rank_of_base("nobody's"), agents::registry().names().size());
  const NameParts parts = name_parts("ta-nobodys-agent+reaper");
  EXPECT_TRUE(parts.aligned);
  EXPECT_EQ(parts.base, "nobodys-agent");
  EXPECT_EQ(parts.replay, "reaper");
}

TEST_F(OwnAgent, SettingsReadBackFromTheirFile) {
  const RunConfig config =
      resolve({.algo = "ta-mine", .env = "classic/cartpole", .set = {"mine.spice=0.75"}});
  EXPECT_EQ(config.batch_size, 48);
  EXPECT_EQ(config.align.margin, 1);
  const std::string toml = config_to_toml(config, false);
  EXPECT_NE(toml.find("[mine]\nspice = 0.75"), std::string::npos) << toml;
  EXPECT_EQ(toml.find("[fleet]"), std::string::npos);
  const RunConfig read = config_from_toml(toml, "config.toml");
  EXPECT_EQ(read.agent.as<MineConfig>().spice, 0.75);
  EXPECT_TRUE(differences(config, read).empty());
  EXPECT_NE(test::error_of([] {
              resolve({.algo = "mine", .set = {"mine.spise=1"}});
            }).find("'mine.spice'"),
            std::string::npos);
}

TEST_F(OwnAgent, TakesThePresetsOfTheOneItNames) {
  const auto preset = default_preset("minatar/breakout", preset_base(parse_algorithm("ta-mine")));
  ASSERT_TRUE(preset);
  EXPECT_EQ(preset->name, "minatar/paper");
  EXPECT_EQ(resolve({.algo = "mine"}).agent.as<MineConfig>().spice, 0.5);
}

TEST_F(OwnAgent, IsMadeForActionsThatFitAlone) {
  Team team(1);
  const auto attempt = [&](const char* env) {
    const RunConfig config = resolve({.algo = "mine", .env = env});
    const rl::EnvSpec spec = envs::registry().make(env, seeded(1))->spec();
    make_agent(config, spec, seeded(1), team);
  };
  EXPECT_NO_THROW(attempt("classic/cartpole"));
  const std::string problem = test::error_of([&] { attempt("classic/pendulum"); });
  EXPECT_NE(problem.find("mine needs discrete actions"), std::string::npos) << problem;
  EXPECT_NE(problem.find("use sac, td3 or ddpg"), std::string::npos) << problem;
}

TEST_F(OwnAgent, SettingsMayNotHideThoseOfEveryRun) {
  agents::Entry clash = MineAgent::entry("clash");
  clash.settings = [] { return agents::Settings(ClashConfig{}); };
  agents::registry().add(clash);
  const std::string problem = test::error_of([] { resolve({.algo = "clash"}); });
  EXPECT_NE(problem.find("'gamma'"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tarl::train
