// SPDX-License-Identifier: MIT
#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/agents/dqn_config.h"
#include "tarl/agents/sac_config.h"
#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/train/config.h"

namespace tarl::train {
namespace {

using test::TemporaryFolder;

bool is_built(const std::string& env) {
  return envs::registry().entries().contains(env);
}

std::vector<std::string> environments() {
  std::vector<std::string> built;
  for (const char* env : {"classic/cartpole", "classic/pendulum", "minatar/seaquest", "atari/pong",
                          "atari/pong-v5", "mujoco/humanoid", "box2d/bipedal_walker"}) {
    if (is_built(env)) built.emplace_back(env);
  }
  return built;
}

std::string algo_for(const std::string& env) {
  return envs::registry().find(env).action_size > 0 ? "ta-sac+reaper" : "ta-ddqn+reaper";
}

TEST(Completed, LeavesNoChoiceOpen) {
  for (const std::string& env : environments()) {
    RunConfig config = resolve({.algo = algo_for(env), .env = env});
    for (const Field& field : fields(config)) {
      if (field.name == "environment.rom_dir") continue;  // a place of this machine
      if (field.name.starts_with("extended.")) continue;  // a record: none is none
      if (field.name == "label") continue;                // runs need none
      const std::string value = field.to_toml();
      EXPECT_NE(value, "\"auto\"") << env << " " << field.name;
      EXPECT_NE(value, "[]") << env << " " << field.name;
      EXPECT_NE(value, "\"\"") << env << " " << field.name;
      if (field.marker) {
        EXPECT_NE(value, field.marker->text + ".0") << env << " " << field.name;
      }
    }
  }
}

TEST(Completed, ChoosesByTheEnvironment) {
  const RunConfig breakout = resolve({.algo = "dqn", .env = "minatar/breakout"});
  EXPECT_EQ(breakout.env_config.sticky_actions, 0.1);
  const RunConfig cartpole = resolve({.algo = "dqn", .env = "classic/cartpole"});
  EXPECT_EQ(cartpole.env_config.sticky_actions, 0);
  EXPECT_EQ(cartpole.agent.as<agents::DqnConfig>().network, agents::NetworkKind::kMlp);
  EXPECT_EQ(cartpole.agent.as<agents::DqnConfig>().net_arch, (std::vector<std::int64_t>{64, 64}));
  const RunConfig pendulum = resolve({.algo = "sac", .env = "classic/pendulum"});
  EXPECT_EQ(pendulum.agent.as<agents::SacConfig>().target_entropy, -1);
  if (is_built("atari/pong")) {
    EXPECT_EQ(resolve({.algo = "dqn", .env = "atari/pong"}).env_config.sticky_actions, 0);
    EXPECT_EQ(resolve({.algo = "dqn", .env = "atari/pong-v5"}).env_config.sticky_actions, 0.25);
  }
  if (is_built("mujoco/humanoid")) {
    EXPECT_EQ(resolve({.algo = "sac", .env = "mujoco/humanoid"})
                  .agent.as<agents::SacConfig>()
                  .target_entropy,
              -17);
  }
}

TEST(Completed, ChoosesAlphaByTheReplayThatIsUsed) {
  EXPECT_EQ(resolve({.algo = "dqn+per"}).replay.alpha, 0.6);
  EXPECT_EQ(resolve({.algo = "dqn+reaper"}).replay.alpha, 0.4);
  EXPECT_EQ(resolve({.algo = "dqn", .set = {"replay.kind=reaper"}}).replay.alpha, 0.4);
  EXPECT_EQ(resolve({.algo = "dqn"}).replay.alpha, 0.6);  // plays no part
}

TEST(Completed, KeepsWhatWasChosen) {
  const RunConfig config =
      resolve({.algo = "dqn+reaper",
               .env = "minatar/breakout",
               .set = {"replay.alpha=0", "environment.sticky_actions=0", "policy.net_arch=[7]"}});
  EXPECT_EQ(config.replay.alpha, 0);
  EXPECT_EQ(config.env_config.sticky_actions, 0);
  EXPECT_EQ(config.agent.as<agents::DqnConfig>().net_arch, (std::vector<std::int64_t>{7}));
}

TEST(Completed, OnceIsEnough) {
  for (const std::string& env : environments()) {
    const RunConfig config = resolve({.algo = algo_for(env), .env = env});
    EXPECT_EQ(config_to_toml(config, false), config_to_toml(completed(config), false)) << env;
  }
}

TEST(ConfigToml, AnOldFileThatLeavesChoicesOpenIsTheSameRun) {
  for (const std::string& env : environments()) {
    const std::string algo = algo_for(env);
    const RunConfig now = resolve({.algo = algo, .env = env});
    RunConfig old = now;
    Fields table = fields(old);
    set_field(table, "replay.alpha", "-1", "test");
    set_field(table, "environment.sticky_actions", "-1", "test");
    if (now.algorithm().discrete()) {
      set_field(table, "policy.network", "auto", "test");
      set_field(table, "policy.net_arch", "[]", "test");
    } else {
      set_field(table, "ent_coef", "auto", "test");
      set_field(table, "target_entropy", "auto", "test");
    }
    const std::string written = config_to_toml(old, false);
    EXPECT_NE(written, config_to_toml(now, false));
    const RunConfig read = config_from_toml(written, "config.toml");
    EXPECT_EQ(differences(read, now), std::vector<std::string>{}) << env;
    EXPECT_EQ(config_to_toml(read, false), config_to_toml(now, false)) << env;
  }
}

TEST(ConfigToml, AnUnknownEnvironmentIsRefusedWithTheNearestNames) {
  const std::string problem = test::error_of(
      [] { config_from_toml("algo = \"dqn\"\nenv = \"minatar/breakot\"\n", "config.toml"); });
  EXPECT_NE(problem.find("'minatar/breakout'"), std::string::npos) << problem;
}

// What show-config prints, as a file.
class ShownConfig : public testing::Test {
 protected:
  std::string show(const ConfigRequest& request) {
    const fs::path path = folder_ / "shown.toml";
    write_file_durably(path, config_to_toml(resolve(request), true));
    return path.string();
  }

  TemporaryFolder folder_;
};

TEST_F(ShownConfig, AsAPresetIsTheSameRun) {
  for (const ConfigRequest& request : std::vector<ConfigRequest>{
           {},
           {.algo = "dqn", .env = "minatar/freeway", .seed = "3"},
           {.algo = "ta-dqn", .margin = "3"},
           {.algo = "ddqn+per", .set = {"double_q=false", "replay.kind=reaper"}},
           {.algo = "ta-sac", .env = "classic/pendulum", .set = {"ent_coef=0.2"}},
           {.algo = "ddpg+reaper", .env = "classic/pendulum"}}) {
    const std::string expected = config_to_toml(resolve(request), false);
    const std::string file = show(request);
    EXPECT_EQ(config_to_toml(resolve({.preset = file}), false), expected);
    EXPECT_EQ(
        config_to_toml(resolve({.algo = request.algo, .env = request.env, .preset = file}), false),
        expected);
  }
}

TEST_F(ShownConfig, AnotherAlgorithmBringsItsOwnSettings) {
  const std::string file = show({.algo = "dqn+per", .set = {"gamma=0.9"}});
  const RunConfig config = resolve({.algo = "ta-ddqn+reaper", .preset = file});
  EXPECT_EQ(config.gamma, 0.9);
  EXPECT_EQ(config.align.margin, 1);
  EXPECT_TRUE(config.agent.as<agents::DqnConfig>().double_q);
  EXPECT_EQ(config.replay.kind, replay::Kind::kReaper);
  EXPECT_EQ(config.replay.alpha, 0.4);
}

TEST_F(ShownConfig, IsRefusedForAnotherEnvironment) {
  const std::string file = show({.env = "minatar/freeway"});
  const std::string problem =
      test::error_of([&] { resolve({.env = "minatar/asterix", .preset = file}); });
  EXPECT_NE(problem.find("minatar/freeway"), std::string::npos) << problem;
  EXPECT_NE(problem.find("remove its line 'env'"), std::string::npos) << problem;
}

TEST(Presets, ThatLeaveReplayToTheNameKeepTheirAlpha) {
  const TemporaryFolder folder;
  write_file_durably(folder / "mine.toml", "[replay]\nalpha = 0.7\n");
  const std::string file = (folder / "mine.toml").string();
  EXPECT_EQ(resolve({.algo = "dqn+reaper", .preset = file}).replay.alpha, 0.7);
}

}  // namespace
}  // namespace tarl::train
