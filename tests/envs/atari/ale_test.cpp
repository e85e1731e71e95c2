// SPDX-License-Identifier: MIT
//
// The Atari family as programs use it, on the real emulator; skipped if that is not built.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace {

namespace fs = std::filesystem;

class Atari : public testing::Test {
 protected:
  void SetUp() override {
    if (!kAleBuilt) GTEST_SKIP() << "built without the Arcade Learning Environment";
  }

  static std::unique_ptr<rl::Environment> make(const std::string& name, std::uint64_t seed = 1,
                                               const EnvConfig& config = {}) {
    return registry().make(name, seeded(seed), config);
  }

  static std::string error_of(const std::string& name, const EnvConfig& config) {
    try {
      make(name, 1, config);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  }
};

// Everything that an agent, a score or a viewer sees of one step, the reset after it included.
struct Seen {
  std::vector<std::byte> obs;
  std::vector<std::byte> obs_after_reset;
  float reward = 0, score = 0;
  bool terminated = false, truncated = false, over = false;
  std::vector<std::uint8_t> picture;

  bool operator==(const Seen&) const = default;
};

Seen play(rl::Environment& env, int action) {
  Seen seen;
  seen.obs.resize(env.spec().obs.bytes());
  rl::Action chosen;
  chosen.index = action;
  const rl::StepResult result = env.step(chosen, seen.obs);
  seen.reward = result.reward;
  seen.score = result.score;
  seen.terminated = result.terminated;
  seen.truncated = result.truncated;
  seen.over = result.score_episode_over;
  std::string why;
  seen.picture = env.render(why)->rgb;
  if (result.done()) {
    seen.obs_after_reset.resize(seen.obs.size());
    env.reset(seen.obs_after_reset);
  }
  return seen;
}

std::vector<Seen> play_randomly(rl::Environment& env, Rng& rng, int steps) {
  std::vector<Seen> all;
  for (int t = 0; t < steps; ++t) {
    all.push_back(play(
        env, static_cast<int>(rng.below(static_cast<std::uint32_t>(env.spec().action.count)))));
  }
  return all;
}

TEST_F(Atari, KnowsEveryGameByBothNames) {
  EXPECT_EQ(registry().find("BreakoutNoFrameskip-v4").name, "atari/breakout");
  EXPECT_EQ(registry().find("ALE/Breakout-v5").name, "atari/breakout-v5");
  EXPECT_EQ(registry().find("KungFuMasterNoFrameskip-v4").name, "atari/kung_fu_master");
  EXPECT_EQ(registry().find("TicTacToe3DNoFrameskip-v4").name, "atari/tic_tac_toe_3d");
  int games = 0;
  for (const auto& [name, entry] : registry().entries()) {
    if (name.starts_with("atari/") && !name.ends_with("-v5")) ++games;
  }
  EXPECT_EQ(games, 104);
}

TEST_F(Atari, ActionsAreThoseThatTheGameUses) {
  EXPECT_EQ(make("atari/breakout")->spec().action.count, 4);
  EXPECT_EQ(make("atari/battle_zone")->spec().action.count, 18);
  EXPECT_EQ(make("atari/kung_fu_master")->spec().action.count, 14);
}

TEST_F(Atari, AnUnknownGameGetsTheNearestNames) {
  EXPECT_NE(error_of("atari/brekout", {}).find("atari/breakout"), std::string::npos);
}

TEST_F(Atari, IsSilent) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto env = make("atari/pong");
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(Atari, AMissingRomSaysWhereToPutIt) {
  const fs::path folder = fs::temp_directory_path() / "tarl_no_roms";
  fs::create_directories(folder);
  const std::string by_setting = error_of("atari/pong", {.rom_dir = folder.string()});
  EXPECT_NE(by_setting.find((folder / "pong.bin").string()), std::string::npos) << by_setting;
  EXPECT_NE(by_setting.find("environment.rom_dir"), std::string::npos) << by_setting;
  ::setenv("TARL_ROM_DIR", folder.c_str(), 1);
  const std::string by_variable = error_of("atari/pong", {});
  ::unsetenv("TARL_ROM_DIR");
  EXPECT_EQ(by_variable, by_setting);
}

TEST_F(Atari, AnotherGamesRomIsRefused) {
  const fs::path folder = fs::temp_directory_path() / "tarl_wrong_roms";
  fs::create_directories(folder);
  std::ofstream(folder / "pong.bin") << "not a cartridge";
  const std::string problem = error_of("atari/pong", {.rom_dir = folder.string()});
  EXPECT_NE(problem.find("is not the ROM of atari/pong"), std::string::npos) << problem;
  EXPECT_NE(problem.find("md5"), std::string::npos) << problem;
  fs::remove_all(folder);
}

TEST_F(Atari, TheSameSeedPlaysTheSameGame) {
  for (const char* name : {"atari/pong", "atari/breakout-v5"}) {
    const auto one = make(name, 3), two = make(name, 3), three = make(name, 4);
    std::vector<std::byte> first(one->spec().obs.bytes()), second(first.size()),
        third(first.size());
    one->reset(first);
    two->reset(second);
    three->reset(third);
    EXPECT_EQ(first, second);
    Rng choices_one = seeded(5), choices_two = seeded(5), choices_three = seeded(5);
    const std::vector<Seen> played = play_randomly(*one, choices_one, 150);
    EXPECT_EQ(played, play_randomly(*two, choices_two, 150)) << name;
    EXPECT_NE(played, play_randomly(*three, choices_three, 150)) << name;
  }
}

// Saves in the middle of games, loads into an environment that has played something else, and
// compares every observation, reward and picture that follows.
TEST_F(Atari, ContinuesFromASavedStateToTheBit) {
  for (const char* name : {"atari/breakout-v5", "atari/qbert", "atari/kung_fu_master"}) {
    const auto env = make(name, 7), other = make(name, 8);
    std::vector<std::byte> obs(env->spec().obs.bytes());
    env->reset(obs);
    other->reset(obs);
    Rng choices = seeded(9), elsewhere = seeded(10);
    play_randomly(*other, elsewhere, 40);
    bool game_ended = false;
    for (int point = 0; point < 8; ++point) {
      play_randomly(*env, choices, 37);
      Tensors state;
      StateWriter writer(state);
      env->save(writer);
      Rng same_choices = choices;
      const std::vector<Seen> expected = play_randomly(*env, choices, 60);
      other->load(StateReader(state, "test"));
      ASSERT_EQ(play_randomly(*other, same_choices, 60), expected) << name << " point " << point;
      for (const Seen& seen : expected) game_ended = game_ended || seen.over;
    }
    if (std::string_view(name) == "atari/breakout-v5") {
      EXPECT_TRUE(game_ended);
    }
  }
}

TEST_F(Atari, ContinuesFromAStateSavedBeforeTheFirstReset) {
  const auto env = make("atari/pong", 11), other = make("atari/pong", 12);
  Tensors state;
  StateWriter writer(state);
  env->save(writer);
  std::vector<std::byte> expected(env->spec().obs.bytes()), obs(expected.size());
  env->reset(expected);
  other->reset(obs);
  other->load(StateReader(state, "test"));
  other->reset(obs);
  EXPECT_EQ(obs, expected);
}

TEST_F(Atari, RefusesTheStateOfAnotherGame) {
  const auto env = make("atari/pong"), other = make("atari/breakout");
  Tensors state;
  StateWriter writer(state);
  env->save(writer);
  EXPECT_THROW(other->load(StateReader(state, "test")), Error);
}

// A game's score is what the console shows: Pong played at random loses by about 21 points.
TEST_F(Atari, APongGameIsScoredInFull) {
  const auto env = make("atari/pong", 13);
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  Rng choices = seeded(14);
  double score = 0, reward = 0;
  for (bool over = false; !over;) {
    const Seen seen = play(*env, static_cast<int>(choices.below(6)));
    score += seen.score;
    reward += seen.reward;
    over = seen.over;
    EXPECT_EQ(seen.terminated, over);  // Pong shows no lives: only the game's end ends an episode
  }
  EXPECT_GE(score, -21);
  EXPECT_LE(score, -14);
  EXPECT_EQ(reward, score);
}

}  // namespace

}  // namespace tarl::envs
