// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/envs/box2d/bipedal_walker.h"
#include "tarl/envs/box2d/lunar_lander.h"
#include "tarl/envs/registry.h"

namespace {

using tarl::rl::Action;
using tarl::rl::Environment;
namespace box2d = tarl::envs::box2d;

std::unique_ptr<Environment> make(const std::string& name, std::uint64_t seed) {
  return tarl::envs::registry().make(name, tarl::seeded(seed));
}

std::vector<std::byte> obs_buffer(const Environment& env) {
  return std::vector<std::byte>(env.spec().obs.bytes());
}

std::vector<std::byte> play(Environment& env, tarl::Rng rng, int steps) {
  std::vector<std::byte> seen, obs = obs_buffer(env);
  for (int i = 0; i < steps; ++i) {
    Action action;
    for (float& value : action.values) value = static_cast<float>(2 * rng.uniform() - 1);
    if (env.spec().action.discrete()) {
      action.index =
          static_cast<int>(rng.below(static_cast<std::uint32_t>(env.spec().action.count)));
    }
    const auto result = env.step(action, obs);
    const auto reward = std::as_bytes(std::span(&result.reward, 1));
    seen.insert(seen.end(), obs.begin(), obs.end());
    seen.insert(seen.end(), reward.begin(), reward.end());
    if (result.done()) env.reset(obs);
  }
  return seen;
}

class Box2d : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!tarl::kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  }
};

TEST_P(Box2d, ContinuesFromASavedStateToTheBit) {
  const auto first = make(GetParam(), 3);
  auto obs = obs_buffer(*first);
  first->reset(obs);
  play(*first, tarl::seeded(4), 150);
  tarl::Tensors saved;
  tarl::StateWriter writer(saved);
  first->save(writer);
  const auto expected = play(*first, tarl::seeded(5), 300);

  const auto second = make(GetParam(), 99);
  second->load(tarl::StateReader(saved, "test"));
  EXPECT_EQ(play(*second, tarl::seeded(5), 300), expected);
}

TEST_P(Box2d, AnEpisodeDoesNotDependOnEarlierOnes) {
  const auto used = make(GetParam(), 3);
  auto obs = obs_buffer(*used);
  used->reset(obs);
  play(*used, tarl::seeded(4), 400);
  tarl::Tensors saved;
  tarl::StateWriter writer(saved);
  used->save(writer);
  const auto fresh = make(GetParam(), 0);
  fresh->load(tarl::StateReader(saved, "test"));
  used->reset(obs);
  auto fresh_obs = obs_buffer(*fresh);
  fresh->reset(fresh_obs);
  EXPECT_EQ(obs, fresh_obs);
  EXPECT_EQ(play(*used, tarl::seeded(6), 200), play(*fresh, tarl::seeded(6), 200));
}

TEST_P(Box2d, AStateThatDoesNotComeBackIsAnError) {
  const auto env = make(GetParam(), 3);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  play(*env, tarl::seeded(4), 10);
  tarl::Tensors saved;
  tarl::StateWriter writer(saved);
  env->save(writer);
  writer.put("hash", std::uint64_t{1});
  EXPECT_THROW(env->load(tarl::StateReader(saved, "test")), tarl::Error);
}

TEST_P(Box2d, DrawsAPicture) {
  const auto env = make(GetParam(), 1);
  std::string why;
  EXPECT_FALSE(env->render(why).has_value());
  EXPECT_FALSE(why.empty());
  auto obs = obs_buffer(*env);
  env->reset(obs);
  const auto image = env->render(why);
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->rgb.size(), static_cast<std::size_t>(image->width * image->height * 3));
}

TEST_P(Box2d, WalkersAreDrawnFromTheirObservations) {
  const auto env = make(GetParam(), 1);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  std::string why;
  const auto first = env->picture_of(obs, why);
  if (GetParam().starts_with("Lunar")) {
    EXPECT_FALSE(first.has_value());
    EXPECT_NE(why.find("does not observe enough"), std::string::npos) << why;
    return;
  }
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->rgb, make(GetParam(), 2)->picture_of(obs, why).value().rgb);
  play(*env, tarl::seeded(3), 20);
  env->step({}, obs);
  EXPECT_NE(first->rgb, env->picture_of(obs, why).value().rgb);
}

INSTANTIATE_TEST_SUITE_P(Tasks, Box2d,
                         testing::Values("BipedalWalker-v3", "BipedalWalkerHardcore-v3",
                                         "LunarLander-v3", "LunarLanderContinuous-v3"),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find('-'));
                         });

class ZeroDraws final : public box2d::Draws {
 public:
  double real(double, double) override { return 0; }

  int integer(int low, int) override { return low; }
};

// Inline, so that a build without Box2D does not need it to link.
inline void check_flat_ground() {
  ZeroDraws draws;
  box2d::WalkerEpisode episode(false, draws);
  const std::vector<float> expected = {.002748F, 0,        0,        -.016F,   .092151F, 0,
                                       .860159F, .001403F, 1,        .032558F, 0,        .853706F,
                                       0,        1,        .440814F, .44582F,  .461423F, .48955F,
                                       .534103F, .602461F, .709149F, .885932F, 1,        1};
  const auto obs = episode.world().observe();
  for (std::size_t i = 0; i < obs.size(); ++i) EXPECT_NEAR(obs[i], expected[i], 1e-5) << i;
  double sum = 0;
  for (int k = 0; k < 20; ++k) {
    box2d::Torques torques;
    for (std::size_t j = 0; j < torques.size(); ++j) {
      torques[j] = .5 * std::sin(.3 * k + static_cast<double>(j));
    }
    const double reward = episode.advance(torques).reward;
    if (k == 0) {
      EXPECT_NEAR(reward, -.0140126, 1e-5);
    }
    if (k == 1) {
      EXPECT_NEAR(reward, -.139605, 1e-5);
    }
    sum += reward;
  }
  EXPECT_NEAR(sum, -2.215279, 1e-4);
}

TEST(BipedalWalker, MatchesTheReferenceOnFlatGround) {
  if (!tarl::kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  if constexpr (tarl::kBox2dBuilt) check_flat_ground();
}

// The bodies that an observation shows are where they are, seen from the hull.
inline void check_pose() {
  ZeroDraws draws;
  box2d::WalkerEpisode episode(false, draws);
  for (int k = 0; k < 25; ++k) episode.advance({.6 * std::sin(.3 * k), -.4, .5, .7});
  const auto obs = episode.world().observe();
  box2d::WalkerWorld seen(box2d::Terrain(), 0);
  seen.pose(obs);
  const auto outlines = seen.outlines(), expected = episode.world().outlines();
  const auto here = seen.bodies()[0], there = episode.world().bodies()[0];
  for (std::size_t body = 0; body < expected.size(); ++body) {
    for (std::size_t corner = 0; corner < expected[body].size(); ++corner) {
      EXPECT_NEAR(outlines[body][corner].x - here[0], expected[body][corner].x - there[0], .05);
      EXPECT_NEAR(outlines[body][corner].y - here[1], expected[body][corner].y - there[1], .05);
    }
  }
  for (const tarl::envs::Point& point : seen.ground_seen(obs)) {  // the ground is flat
    EXPECT_NEAR(point.y - here[1], box2d::kTerrainHeight - there[1], .02);
  }
}

TEST(BipedalWalker, AnObservationShowsItsBodies) {
  if (!tarl::kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  if constexpr (tarl::kBox2dBuilt) check_pose();
}

// Inline, so that a build without Box2D does not need it to link. Straight down, as draws of zero
// neither push nor scatter: a burn below `slowest` lands, none crashes.
inline double descend(bool continuous, double slowest) {
  ZeroDraws draws;
  box2d::LanderEpisode episode(continuous, draws);
  box2d::Episode::Outcome outcome;
  std::array<float, box2d::kLanderObs> obs{};
  for (int step = 0; step < 1000 && !outcome.terminated; ++step) {
    episode.observe(obs);
    const bool burn = double{obs[3]} < slowest;
    const std::array<float, 2> action = continuous ? std::array<float, 2>{burn ? 1.0F : -1.0F, 0}
                                                   : std::array<float, 2>{burn ? 2.0F : 0};
    outcome = episode.play(std::span(action).first(continuous ? 2 : 1), draws);
  }
  EXPECT_TRUE(outcome.terminated);
  return outcome.reward;
}

TEST(LunarLander, ASoftLandingPaysAHundredAndACrashCostsThem) {
  if (!tarl::kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  if constexpr (tarl::kBox2dBuilt) {
    for (const bool continuous : {false, true}) {
      EXPECT_EQ(descend(continuous, -0.1), 100);
      EXPECT_EQ(descend(continuous, -100), -100);
    }
  }
}

// The episode's rules at work, without the physics: it never ends by itself.
class Endless final : public box2d::Episode {
 public:
  Outcome play(std::span<const float>, box2d::Draws&) override { return {}; }

  void observe(std::span<float>) const override {}

  tarl::rl::Image draw() const override { return {}; }

  std::uint64_t hash() const override { return 0; }
};

inline void check_time_limit() {
  box2d::ReplayedEnv env(
      box2d::box2d_spec("test/endless", 2, 1), 7,
      [](box2d::Draws&) { return std::make_unique<Endless>(); }, tarl::seeded(1));
  auto obs = obs_buffer(env);
  env.reset(obs);
  for (int step = 1; step <= 7; ++step) {
    const auto result = env.step({}, obs);
    EXPECT_FALSE(result.terminated);
    EXPECT_EQ(result.truncated, step == 7);
  }
}

TEST(ReplayedEnv, TheTimeLimitTruncates) {
  if constexpr (tarl::kBox2dBuilt) check_time_limit();
}

TEST(BipedalWalker, AFallCostsAHundredAndEnds) {
  if (!tarl::kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  const auto env = make("BipedalWalker-v3", 5);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  tarl::rl::StepResult result;
  Action lean;
  lean.values = {1, -1, 1, -1};
  for (int step = 0; step < 1600 && !result.done(); ++step) result = env->step(lean, obs);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, -100.0F);
}

}  // namespace
