// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/play.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tarl/envs/registry.h"
#include "tarl/fleet/minatar_dqn/specify.h"

namespace tarl::fleet {
namespace {

// The fleet's games match the environments bit for bit, including their random draws.
TEST(Play, IsTheEnvironmentStepForStep) {
  for (const char* name : {"minatar/asterix", "minatar/breakout", "minatar/freeway",
                           "minatar/space_invaders", "minatar/seaquest", "minatar/breakout-v0"}) {
    const train::RunConfig config = train::resolve({.algo = "dqn", .env = name});
    const AgentSpec spec = make_spec(config);
    const Rng stream = seeded(3).fork("env/0");
    const auto env = envs::registry().find(name).make(config.env_config, stream);
    std::vector<std::byte> obs(env->spec().obs.bytes());
    ASSERT_EQ(obs.size(), static_cast<std::size_t>(spec.obs_bytes));
    Play play;
    alignas(8) std::byte board[kMaxObsBytes];
    begin_play(spec, stream, play);
    reset_play(spec, play, board);
    env->reset(obs);
    Rng actions = seeded(4);
    for (int step = 0; step < 3000; ++step) {
      ASSERT_EQ(std::memcmp(obs.data(), board, obs.size()), 0) << name << " step " << step;
      rl::Action action;
      action.index =
          static_cast<std::int32_t>(actions.below(static_cast<std::uint32_t>(spec.net.actions)));
      const rl::StepResult theirs = env->step(action, obs);
      const envs::minatar::Outcome ours = step_play(spec, play, action.index, board);
      ASSERT_EQ(theirs.reward, static_cast<float>(ours.reward)) << name << " step " << step;
      ASSERT_EQ(theirs.terminated, ours.terminal) << name << " step " << step;
      if (!ours.terminal) continue;
      env->reset(obs);
      reset_play(spec, play, board);
    }
  }
}

// Each action's outcome can be predicted without changing the state of the game.
TEST(Play, KnowsWhichActionsWouldEndTheEpisode) {
  for (const char* name :
       {"minatar/asterix", "minatar/breakout", "minatar/freeway", "minatar/space_invaders",
        "minatar/seaquest", "minatar/breakout-v0", "minatar/seaquest-v0"}) {
    const AgentSpec spec = make_spec(train::resolve({.algo = "dqn", .env = name}));
    Play play;
    std::memset(play.bytes, 0, sizeof play.bytes);
    alignas(8) std::byte board[kMaxObsBytes];
    begin_play(spec, seeded(5).fork("env/0"), play);
    reset_play(spec, play, board);
    Rng actions = seeded(6);
    int ended = 0, some_would = 0;
    for (int step = 0; step < 6000; ++step) {
      const Play before = play;
      int would = 0;
      std::vector<bool> ends;
      for (int action = 0; action < spec.net.actions; ++action) {
        ends.push_back(
            would_end(spec, play, [&](Play& copy) { return move_play(spec, copy, action); }));
        Play other = play;
        ASSERT_EQ(step_play(spec, other, action, board).terminal, ends.back())
            << name << " step " << step << " action " << action;
        would += ends.back() ? 1 : 0;
      }
      ASSERT_EQ(std::memcmp(&before, &play, sizeof play), 0) << name << " step " << step;
      some_would += would > 0 && would < spec.net.actions ? 1 : 0;
      const auto action =
          static_cast<int>(actions.below(static_cast<std::uint32_t>(spec.net.actions)));
      const bool terminal = step_play(spec, play, action, board).terminal;
      ASSERT_EQ(terminal, ends[static_cast<std::size_t>(action)]) << name << " step " << step;
      if (!terminal) continue;
      ++ended;
      reset_play(spec, play, board);
    }
    EXPECT_GT(ended, 1) << name;
    // In Freeway the time limit ends an episode regardless of the action.
    EXPECT_EQ(some_would > 0, std::strcmp(name, "minatar/freeway") != 0) << name;
  }
}

}  // namespace
}  // namespace tarl::fleet
