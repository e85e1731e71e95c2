// SPDX-License-Identifier: MIT
#include "tarl/train/presets.h"

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/files.h"

namespace tarl::train {
namespace {

using Changes = std::vector<std::string>;
using test::error_of;

// What a different preset changes in a run.
Changes changes(const ConfigRequest& from, const std::string& preset) {
  ConfigRequest other = from;
  other.preset = preset;
  return differences(resolve(from), resolve(other));
}

TEST(Presets, AllResolveForTheirAlgorithms) {
  EXPECT_GE(presets().size(), 3U);
  for (const Preset& preset : presets()) {
    EXPECT_FALSE(preset.title.empty()) << preset.name;
    EXPECT_FALSE(preset.algos.empty()) << preset.name;
    for (const std::string& base : preset.algos) {
      RunConfig config = defaults_of(parse_algorithm(base));
      EXPECT_NO_THROW(apply_preset(config, preset)) << preset.name << " " << base;
    }
  }
}

TEST(Presets, OfTheMinAtarPaperDifferInWhatTheySay) {
  const ConfigRequest dqn{.algo = "dqn", .env = "minatar/asterix"};
  EXPECT_EQ(changes(dqn, "paper"), Changes{});
  EXPECT_EQ(changes(dqn, "paper-listing"),
            (Changes{"train_freq: 4 -> 1", "loss: \"huber\" -> \"mse\""}));
  EXPECT_EQ(changes(dqn, "prototype"), Changes{"policy.net_arch: [128] -> [512, 64, 64]"});
}

TEST(Presets, OfTheFamilyServeEveryTaskOfIt) {
  const auto preset = default_preset("box2d/bipedal_walker", "sac");
  ASSERT_TRUE(preset);
  EXPECT_EQ(preset->name, "box2d/paper");
  EXPECT_EQ(find_preset("zoo", "box2d/bipedal_walker").name, "box2d/zoo");
  EXPECT_EQ(default_preset("box2d/bipedal_walker_hardcore", "td3").value().name, "box2d/td3");
  EXPECT_FALSE(default_preset("classic/cartpole", "dqn"));
}

TEST(Presets, AreSuggestedWhereNoneIsUsedUnasked) {
  EXPECT_EQ(suggested_preset("classic/cartpole", "dqn").value().name, "classic");
  EXPECT_FALSE(suggested_preset("classic/pendulum", "sac"));
  EXPECT_FALSE(suggested_preset("minatar/breakout", "dqn"));
}

TEST(Presets, AreFoundByTheirFormerNames) {
  EXPECT_EQ(find_preset("bipedal/zoo", "box2d/bipedal_walker").name, "box2d/zoo");
}

class PresetFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& toml) {
    make_directories((folder_ / name).parent_path());
    write_file_durably(folder_ / name, toml);
    return (folder_ / name).string();
  }

  test::TemporaryFolder folder_;
};

TEST_F(PresetFile, ExtendsABuiltInPreset) {
  const std::string mine =
      write("mine.toml", "preset.extends = \"minatar/prototype\"\ntau = 0.9\n");
  EXPECT_EQ(changes({.algo = "dqn"}, mine),
            (Changes{"tau: 1.0 -> 0.9", "policy.net_arch: [128] -> [512, 64, 64]"}));
  EXPECT_EQ(find_preset(mine, "minatar/breakout").algos, (Changes{"dqn", "ddqn"}));
}

TEST_F(PresetFile, ExtendsAFileBesideIt) {
  write("base/one.toml", "preset.extends = \"minatar/paper\"\nlearning_starts = 9\ntau = 0.5\n");
  write("base/two.toml", "preset.extends = \"one.toml\"\ntau = 0.25\n");
  const std::string three = write("three.toml", "preset.extends = \"base/two.toml\"\nseed = 7\n");
  EXPECT_EQ(changes({.algo = "dqn"}, three),
            (Changes{"seed: 0 -> 7", "learning_starts: 5000 -> 9", "tau: 1.0 -> 0.25"}));
}

TEST_F(PresetFile, StandsAboveWhatItExtendsInEveryEnvironment) {
  write("base.toml", "gamma = 0.9\n[overrides.\"minatar/freeway\"]\ngamma = 0.8\ntau = 0.5\n");
  const std::string top = write("top.toml", "preset.extends = \"base.toml\"\ngamma = 0.7\n");
  const RunConfig freeway = resolve({.algo = "dqn", .env = "minatar/freeway", .preset = top});
  EXPECT_EQ(freeway.gamma, 0.7);
  EXPECT_EQ(freeway.tau, 0.5);
  EXPECT_EQ(resolve({.algo = "dqn", .env = "minatar/asterix", .preset = top}).tau, 1);
}

TEST_F(PresetFile, ThatComesBackToItselfIsRefusedByName) {
  const std::string a = write("a.toml", "preset.extends = \"b.toml\"\n");
  const std::string b = write("b.toml", "preset.extends = \"a.toml\"\n");
  const std::string problem = error_of([&] { resolve({.preset = a}); });
  EXPECT_NE(problem.find(a + " -> " + b + " -> " + a), std::string::npos) << problem;
}

TEST_F(PresetFile, RestsOnNoEndlessChain) {
  for (int i = 0; i < 100; ++i) {
    write(std::to_string(i) + ".toml", "preset.extends = \"" + std::to_string(i + 1) + ".toml\"\n");
  }
  const std::string top = write("top.toml", "preset.extends = \"0.toml\"\n");
  const std::string problem = error_of([&] { resolve({.preset = top}); });
  EXPECT_NE(problem.find("more than 64 others"), std::string::npos) << problem;
}

TEST_F(PresetFile, OfAnotherTypeThanItShouldBeIsRefused) {
  for (const char* text :
       {"preset = \"minatar/paper\"", "preset.title = 3", "preset.algos = \"dqn\"",
        "preset.algos = [1]", "preset.default = \"no\"", "overrides = 3",
        "overrides.\"minatar/breakout\" = 3", "algo = 3", "env = [\"minatar/breakout\"]"}) {
    const std::string mine = write("mine.toml", std::string(text) + "\n");
    EXPECT_NE(error_of([&] { resolve({.preset = mine}); }).find("mine.toml:1"), std::string::npos)
        << text;
  }
}

TEST_F(PresetFile, SaysWhoExtendsWhatIsNotThere) {
  const std::string mine = write("mine.toml", "preset.extends = \"minatar/papper\"\n");
  const std::string problem = error_of([&] { resolve({.preset = mine}); });
  EXPECT_NE(problem.find(mine), std::string::npos) << problem;
  EXPECT_NE(problem.find("'minatar/paper'"), std::string::npos) << problem;
  const std::string lost = write("lost.toml", "preset.extends = \"gone.toml\"\n");
  EXPECT_NE(error_of([&] { resolve({.preset = lost}); }).find("gone.toml"), std::string::npos);
}

TEST_F(PresetFile, WithAMisspeltWordAboutItselfIsRefused) {
  const std::string mine = write("mine.toml", "preset.extend = \"minatar/paper\"\n");
  const std::string problem = error_of([&] { resolve({.preset = mine}); });
  EXPECT_NE(problem.find("mine.toml:1"), std::string::npos) << problem;
  EXPECT_NE(problem.find("'extends'"), std::string::npos) << problem;
  const std::string number = write("number.toml", "preset.extends = 3\n");
  EXPECT_NE(error_of([&] { resolve({.preset = number}); }).find("name of a preset"),
            std::string::npos);
}

TEST_F(PresetFile, NamesTheDocumentOfAMistake) {
  write("base.toml", "gama = 0.9\n");
  const std::string top = write("top.toml", "preset.extends = \"base.toml\"\n");
  const std::string problem = error_of([&] { resolve({.preset = top}); });
  EXPECT_NE(problem.find("base.toml:1"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tarl::train
