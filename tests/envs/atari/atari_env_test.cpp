// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/atari_env.h"

#include <map>

#include "envs/atari/scripted_emulator.h"
#include <gtest/gtest.h>

namespace tarl::envs::atari {

namespace {

constexpr std::size_t kPicture = 84 * 84;
constexpr int kUp = 2, kRight = 3;

const std::vector<int> kWithFire{kNoop, kFire, kUp, kRight};
const std::vector<int> kWithoutFire{kNoop, kUp, kRight};

struct Stage {
  explicit Stage(ScriptedEmulator::Script script, std::vector<int> actions = kWithoutFire,
                 const GameSettings& settings = {}, std::uint64_t seed = 1)
      : env("atari/scripted",
            std::make_unique<ScriptedEmulator>(std::move(actions), std::move(script), record),
            settings, seeded(seed)),
        obs(env.spec().obs.bytes()) {}

  void reset() {
    record->actions.clear();
    env.reset(obs);
  }

  rl::StepResult step(int action) {
    record->actions.clear();
    rl::Action chosen;
    chosen.index = action;
    return env.step(chosen, obs);
  }

  // The level of a picture of the stack, 0 the oldest; scripted pictures are flat.
  int level(std::size_t picture) const { return std::to_integer<int>(obs[picture * kPicture]); }

  std::shared_ptr<Record> record = std::make_shared<Record>();
  AtariEnv env;
  std::vector<std::byte> obs;
};

// A game whose first `idle` frames do nothing, so that no-op starts end before the rest.
std::vector<Frame> after_start(std::vector<Frame> frames, int idle = kMostNoops) {
  frames.insert(frames.begin(), static_cast<std::size_t>(idle), Frame{});
  return frames;
}

// Steps through no-op frames until the frame number is `frame`, one frame a step.
void play_until(Stage& stage, int frame) {
  while (stage.record->frame < frame) stage.step(0);
}

const GameSettings kFrameByFrame{.frame_skip = 1};

TEST(AtariEnv, TellsItsShape) {
  const Stage stage({{Frame{}}}, kWithFire);
  const rl::EnvSpec& spec = stage.env.spec();
  EXPECT_EQ(spec.obs, (rl::ObsSpec{rl::ObsKind::kBytes, 4, 84, 84, 4}));
  EXPECT_EQ(spec.action.count, 4);
  EXPECT_EQ(spec.obs.bytes(), 28224U);
}

TEST(AtariEnv, StartsWithOneToThirtyIdleFrames) {
  std::map<int, int> seen;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Stage stage({{Frame{}}}, kWithoutFire, {}, seed);
    stage.reset();
    EXPECT_EQ(stage.record->games, 1);
    EXPECT_EQ(stage.record->actions, std::vector<int>(stage.record->actions.size(), kNoop));
    ++seen[static_cast<int>(stage.record->actions.size())];
  }
  EXPECT_EQ(seen.size(), 30U);
  EXPECT_EQ(seen.begin()->first, 1);
  EXPECT_EQ(seen.rbegin()->first, 30);
  for (const auto& [frames, count] : seen) EXPECT_LT(count, 60) << frames;  // 20 expected
}

TEST(AtariEnv, StartsAgainWhenTheGameEndsInTheIdleFrames) {
  Stage stage({{Frame{.points = 5, .over = true}}, {Frame{}}});
  stage.reset();
  EXPECT_EQ(stage.record->games, 2);
  const rl::StepResult result = stage.step(0);
  EXPECT_FALSE(result.done());
  EXPECT_EQ(result.score, 0);
}

TEST(AtariEnv, HoldsAnActionForFourFramesAndAddsTheirPoints) {
  Stage stage({after_start({})});
  stage.reset();
  const int begin = stage.record->frame;
  Stage scripted(
      {after_start({{.points = 10}, {.points = -3}, {.points = 4}, {.points = 100}}, begin)});
  scripted.reset();
  const rl::StepResult result = scripted.step(2);
  EXPECT_EQ(scripted.record->actions, std::vector<int>(4, kRight));
  EXPECT_EQ(result.score, 111);
  EXPECT_EQ(result.reward, 1);
}

TEST(AtariEnv, RewardIsTheSignOfThePoints) {
  Stage stage({after_start({{.points = -7}, {.points = 0}, {.points = 400}})}, kWithoutFire,
              kFrameByFrame);
  stage.reset();
  play_until(stage, kMostNoops);
  const rl::StepResult lost = stage.step(0), even = stage.step(0), won = stage.step(0);
  EXPECT_EQ(lost.reward, -1);
  EXPECT_EQ(lost.score, -7);
  EXPECT_EQ(even.reward, 0);
  EXPECT_EQ(won.reward, 1);
  EXPECT_EQ(won.score, 400);
}

TEST(AtariEnv, PoolsTheLastTwoFramesOfAStep) {
  Stage stage({{Frame{}}});
  stage.reset();
  stage.step(0);
  // Palette numbers are frame numbers; even ones are red, odd ones blue.
  const auto last = static_cast<std::uint8_t>(stage.record->frame);
  const auto before = static_cast<std::uint8_t>(last - 1);
  const Rgb brighter = last % 2 == 0 ? Rgb{last, 0, before} : Rgb{before, 0, last};
  EXPECT_EQ(stage.level(3), grey(brighter));
}

TEST(AtariEnv, StopsAStepWhereTheGameEndsAndPoolsItsOwnFramesOnly) {
  Stage probe({{Frame{}}});
  probe.reset();
  const int begin = probe.record->frame;
  Stage one({after_start({{.points = 2, .lives = 0, .over = true}}, begin)});
  one.reset();
  const rl::StepResult result = one.step(0);
  EXPECT_EQ(one.record->actions.size(), 1U);
  EXPECT_TRUE(result.terminated);
  EXPECT_FALSE(result.truncated);
  EXPECT_TRUE(result.score_episode_over);
  EXPECT_EQ(result.score, 2);
  const auto last = static_cast<std::uint8_t>(one.record->frame);
  EXPECT_EQ(one.level(3), grey(last % 2 == 0 ? Rgb{last, 0, 0} : Rgb{0, 0, last}));
}

TEST(AtariEnv, ALostLifeEndsTheEpisodeButNotTheGame) {
  Stage stage({after_start({{.points = 5}, {.points = 1, .lives = 2}, {.points = 7, .lives = 2}})},
              kWithoutFire, kFrameByFrame);
  stage.reset();
  play_until(stage, kMostNoops + 1);
  const rl::StepResult lost = stage.step(1);
  EXPECT_TRUE(lost.terminated);
  EXPECT_FALSE(lost.score_episode_over);
  EXPECT_EQ(lost.score, 1);
  // The reset goes on with the same game: one idle step, whose points count for the score.
  stage.reset();
  EXPECT_EQ(stage.record->games, 1);
  EXPECT_EQ(stage.record->actions, std::vector<int>{kNoop});
  const rl::StepResult next = stage.step(1);
  EXPECT_EQ(next.reward, 0);
  EXPECT_EQ(next.score, 7);
  EXPECT_FALSE(next.done());
}

TEST(AtariEnv, MomentsWithoutLivesAndGainedLivesEndNothing) {
  Stage stage({after_start({{.lives = 0}, {.lives = 2}, {.lives = 4}, {.lives = 3}})}, kWithoutFire,
              kFrameByFrame);
  stage.reset();
  play_until(stage, kMostNoops);
  EXPECT_FALSE(stage.step(0).done());     // 3 -> 0
  EXPECT_FALSE(stage.step(0).done());     // 0 -> 2
  EXPECT_FALSE(stage.step(0).done());     // 2 -> 4
  EXPECT_TRUE(stage.step(0).terminated);  // 4 -> 3
}

TEST(AtariEnv, PressesFireThenTheThirdActionAfterEveryReset) {
  Stage stage({after_start({{.lives = 2}}, 60)}, kWithFire);
  stage.reset();
  const std::vector<int>& actions = stage.record->actions;
  ASSERT_GE(actions.size(), 9U);
  const std::vector<int> end(actions.end() - 8, actions.end());
  EXPECT_EQ(end, (std::vector<int>{kFire, kFire, kFire, kFire, kUp, kUp, kUp, kUp}));
  while (!stage.step(0).done()) continue;
  stage.reset();
  EXPECT_EQ(stage.record->actions, (std::vector<int>{kNoop, kNoop, kNoop, kNoop, kFire, kFire,
                                                     kFire, kFire, kUp, kUp, kUp, kUp}));
}

TEST(AtariEnv, AGameThatEndsDuringAResetIsReportedWithTheNextStep) {
  // The life lost at frame 31 is followed at once, in the reset's idle step, by the game's end.
  Stage stage({after_start({{.points = 5, .lives = 2}, {.points = 3, .lives = 0, .over = true}}),
               after_start({{.points = 20}}, 0)},
              kWithoutFire, kFrameByFrame);
  stage.reset();
  play_until(stage, kMostNoops);
  const rl::StepResult lost = stage.step(0);
  EXPECT_TRUE(lost.terminated);
  EXPECT_EQ(lost.score, 5);
  stage.reset();
  EXPECT_EQ(stage.record->games, 2);
  const rl::StepResult first = stage.step(0);
  EXPECT_FALSE(first.done());
  EXPECT_TRUE(first.score_episode_over);
  EXPECT_EQ(first.score, 3);
  const rl::StepResult second = stage.step(0);  // the new game's points, from its idle frames
  EXPECT_FALSE(second.score_episode_over);
  EXPECT_EQ(second.score, 20);
}

TEST(AtariEnv, TheFrameLimitCutsAGame) {
  Stage stage({{Frame{}}}, kWithoutFire, {.frame_limit = 50});
  stage.reset();
  rl::StepResult result;
  while (!result.done()) result = stage.step(0);
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.terminated);
  EXPECT_TRUE(result.score_episode_over);
  EXPECT_EQ(stage.record->frame, 50);
  stage.reset();
  EXPECT_EQ(stage.record->games, 2);
}

TEST(AtariEnv, OlderPlanesAreZeroAfterAReset) {
  Stage stage({after_start({{.lives = 2}}, 60)}, kWithoutFire);
  stage.reset();
  for (std::size_t i = 0; i < 3 * kPicture; ++i) ASSERT_EQ(stage.obs[i], std::byte{0});
  const int first = stage.level(3);
  EXPECT_EQ(first, grey(stage.record->frame % 2 == 0
                            ? Rgb{static_cast<std::uint8_t>(stage.record->frame), 0, 0}
                            : Rgb{0, 0, static_cast<std::uint8_t>(stage.record->frame)}));
  stage.step(0);
  const int second = stage.level(3);
  EXPECT_EQ(stage.level(2), first);
  EXPECT_EQ(stage.level(1), 0);
  stage.step(0);
  EXPECT_EQ(stage.level(1), first);
  EXPECT_EQ(stage.level(2), second);
  while (!stage.step(0).done()) continue;
  stage.reset();
  for (std::size_t i = 0; i < 3 * kPicture; ++i) ASSERT_EQ(stage.obs[i], std::byte{0});
  EXPECT_GT(stage.level(3), 0);
}

TEST(AtariEnv, AStickyJoystickStaysWhereItWas) {
  Stage stage({{Frame{}}}, kWithoutFire, {.frame_skip = 1, .frame_limit = 0, .sticky = 0.25});
  stage.reset();
  int stuck = 0, changes = 0;
  int before = kNoop;
  for (int t = 0; t < 4000; ++t) {
    const int action = 1 + t % 2;
    stage.step(action);
    const int wanted = kWithoutFire[static_cast<std::size_t>(action)];
    const int done = stage.record->actions.at(0);
    EXPECT_TRUE(done == wanted || done == before);
    if (wanted != before) {
      ++changes;
      if (done == before) ++stuck;
    }
    before = done;
  }
  EXPECT_NEAR(static_cast<double>(stuck) / changes, 0.25, 0.03);
}

TEST(AtariEnv, WithoutStickinessNothingIsDrawn) {
  Stage stage({{Frame{}}});
  stage.reset();
  Tensors before, after;
  StateWriter first(before), second(after);
  stage.env.save(first);
  stage.step(1);
  stage.env.save(second);
  EXPECT_EQ(before.at("sticky_stream").bytes, after.at("sticky_stream").bytes);
  EXPECT_EQ(before.at("noop_stream").bytes, after.at("noop_stream").bytes);
}

TEST(AtariEnv, DrawsTheScreenInColour) {
  Stage stage({{Frame{}}});
  stage.reset();
  std::string why;
  const auto image = stage.env.render(why);
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->width, 160);
  EXPECT_EQ(image->height, 210);
  const std::size_t channel = stage.record->frame % 2 == 0 ? 0 : 2;
  EXPECT_EQ(image->rgb.at(channel), stage.record->frame);
}

}  // namespace

}  // namespace tarl::envs::atari
