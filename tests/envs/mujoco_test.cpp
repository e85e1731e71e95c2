// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/envs/mujoco/mujoco_env.h"
#include "tarl/envs/registry.h"

namespace {

using tarl::rl::Action;
using tarl::rl::Environment;
namespace mujoco = tarl::envs::mujoco;

const std::vector<std::string> kTasks = {
    "Ant-v4",     "HalfCheetah-v4",     "Hopper-v4",  "Humanoid-v4",
    "Reacher-v4", "HumanoidStandup-v4", "Swimmer-v4", "InvertedDoublePendulum-v4",
    "Pusher-v5",  "Walker2d-v4",        "Ant-v5",     "InvertedPendulum-v4"};

std::unique_ptr<Environment> make(const std::string& name, std::uint64_t seed) {
  return tarl::envs::registry().make(name, tarl::seeded(seed));
}

std::vector<std::byte> obs_buffer(const Environment& env) {
  return std::vector<std::byte>(env.spec().obs.bytes());
}

Action random_action(tarl::Rng& rng) {
  Action action;
  for (float& value : action.values) value = static_cast<float>(2 * rng.uniform() - 1);
  return action;
}

// The bytes of everything that `steps` steps return, with resets where episodes end.
std::vector<std::byte> play(Environment& env, tarl::Rng rng, int steps) {
  std::vector<std::byte> seen, obs = obs_buffer(env);
  for (int i = 0; i < steps; ++i) {
    const auto result = env.step(random_action(rng), obs);
    const auto reward = std::as_bytes(std::span(&result.reward, 1));
    seen.insert(seen.end(), obs.begin(), obs.end());
    seen.insert(seen.end(), reward.begin(), reward.end());
    if (result.done()) {
      env.reset(obs);
      seen.insert(seen.end(), obs.begin(), obs.end());
    }
  }
  return seen;
}

class Mujoco : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!tarl::kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  }
};

TEST_P(Mujoco, ContinuesFromASavedStateToTheBit) {
  const auto first = make(GetParam(), 3);
  auto obs = obs_buffer(*first);
  first->reset(obs);
  play(*first, tarl::seeded(4), 37);

  tarl::Tensors saved;
  tarl::StateWriter writer(saved);
  first->save(writer);
  const auto expected = play(*first, tarl::seeded(5), 60);

  const auto second = make(GetParam(), 99);
  second->reset(obs);
  second->load(tarl::StateReader(saved, "test"));
  EXPECT_EQ(play(*second, tarl::seeded(5), 60), expected);
  first->load(tarl::StateReader(saved, "test"));
  EXPECT_EQ(play(*first, tarl::seeded(5), 60), expected);
}

TEST_P(Mujoco, SameSeedSameEpisodesOtherSeedOthers) {
  auto trace = [&](std::uint64_t seed) {
    const auto env = make(GetParam(), seed);
    auto obs = obs_buffer(*env);
    env->reset(obs);
    return std::pair(obs, play(*env, tarl::seeded(8), 40));
  };
  EXPECT_EQ(trace(1), trace(1));
  EXPECT_NE(trace(1).first, trace(2).first);
}

TEST_P(Mujoco, DrawsAPictureWithoutTouchingTheState) {
  const auto env = make(GetParam(), 1);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  tarl::Tensors before, after;
  tarl::StateWriter before_writer(before), after_writer(after);
  env->save(before_writer);
  std::string why;
  const auto image = env->render(why);
  env->save(after_writer);
  ASSERT_TRUE(image.has_value()) << why;
  EXPECT_EQ(image->rgb.size(), static_cast<std::size_t>(image->width * image->height * 3));
  EXPECT_EQ(before.at("state").bytes, after.at("state").bytes);
}

TEST_P(Mujoco, AnObservationShowsTheBodiesWhereItTellsOfAllJoints) {
  const auto env = make(GetParam(), 1);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  std::string why;
  const auto first = env->picture_of(obs, why);
  if (std::string(GetParam()).find("Pusher") != std::string::npos) {
    EXPECT_FALSE(first.has_value());
    EXPECT_NE(why.find("does not observe all of its joints"), std::string::npos) << why;
    return;
  }
  ASSERT_TRUE(first.has_value()) << why;
  EXPECT_EQ(first->rgb, make(GetParam(), 2)->picture_of(obs, why).value().rgb);
  tarl::rl::Action action;
  action.values.fill(1);
  for (int t = 0; t < 5; ++t) env->step(action, obs);
  EXPECT_NE(first->rgb, env->picture_of(obs, why).value().rgb);
}

// The cart's place is in the observation, and the view does not follow it.
TEST_P(Mujoco, APictureOfAnObservationIsThatOfTheStateWhereItHasAll) {
  if (std::string(GetParam()).find("Pendulum") == std::string::npos) return;
  const auto env = make(GetParam(), 1);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  tarl::rl::Action action;
  action.values.fill(0.5F);
  for (int t = 0; t < 3; ++t) env->step(action, obs);
  std::string why;
  const auto of_state = env->render(why), of_obs = env->picture_of(obs, why);
  std::size_t different = 0;
  for (std::size_t i = 0; i < of_state->rgb.size(); ++i) {
    different += of_state->rgb[i] != of_obs->rgb[i] ? 1 : 0;
  }
  EXPECT_LT(different, of_state->rgb.size() / 1000);  // floats round what doubles know
}

INSTANTIATE_TEST_SUITE_P(Tasks, Mujoco, testing::ValuesIn(kTasks), [](const auto& test) {
  std::string name = test.param;
  return name.replace(name.find('-'), 1, "_");
});

// Ten steps without noise under a_i(k) = 0.3 sin(0.7k + 0.5i) high_i, measured with MuJoCo 2.3.7.
// Humanoid's contact solver stops at other digits since then.
struct Vector {
  const char* env;
  double r0, r1, r9, sum, abs_sum;
  double tolerance = 1e-9;
};

class MujocoVectors : public testing::TestWithParam<Vector> {
 protected:
  void SetUp() override {
    if (!tarl::kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  }
};

// Inline, so that a build without the simulator does not need it to link.
inline void check_vector(const Vector& expected) {
  mujoco::Simulator simulator(*mujoco::find_task(expected.env));
  const auto initial = simulator.initial_qpos();
  simulator.start(std::vector<double>(initial.begin(), initial.end()),
                  std::vector<double>(simulator.qvel().size()));
  std::vector<double> control(static_cast<std::size_t>(simulator.control_size())), reward;
  for (int k = 0; k < 10; ++k) {
    for (std::size_t i = 0; i < control.size(); ++i) {
      control[i] = 0.3 * std::sin(0.7 * k + 0.5 * static_cast<double>(i)) *
                   simulator.control_high(static_cast<int>(i));
    }
    reward.push_back(simulator.advance(control).reward);
  }
  std::vector<double> obs(static_cast<std::size_t>(simulator.obs_size()));
  simulator.observe(obs);
  EXPECT_NEAR(reward[0], expected.r0, expected.tolerance);
  EXPECT_NEAR(reward[1], expected.r1, expected.tolerance);
  EXPECT_NEAR(reward[9], expected.r9, expected.tolerance);
  EXPECT_NEAR(std::accumulate(obs.begin(), obs.end(), 0.0), expected.sum, 1e4 * expected.tolerance);
  double abs_sum = 0;
  for (const double value : obs) abs_sum += std::fabs(value);
  EXPECT_NEAR(abs_sum, expected.abs_sum, 1e4 * expected.tolerance);
}

TEST_P(MujocoVectors, MatchTheReference) {
  if constexpr (tarl::kMujocoBuilt) check_vector(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Tasks, MujocoVectors,
    testing::Values(
        Vector{"Ant-v4", 0.9119978243, 0.9601012014, 0.7321369941, 9.599198134, 40.09148683},
        Vector{"Hopper-v4", 1.0053885558, 1.0166338307, 0.8626105990, -2.570156337, 5.880813877},
        Vector{"Humanoid-v4", 4.9875894691, 4.9865638051, 4.9924848393, 1988.468574, 2874.608522,
               1e-6},
        Vector{"Swimmer-v4", -6.95956995e-05, -0.0011843650, -0.0110790806, -0.134534289,
               1.230681229},
        Vector{"Walker2d-v4", 1.0388368932, 1.0735053227, 0.5591175273, -4.042194176, 28.98242736}),
    [](const auto& test) { return std::string(test.param.env, std::strlen(test.param.env) - 3); });

class MujocoRules : public testing::Test {
 protected:
  void SetUp() override {
    if (!tarl::kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  }
};

TEST_F(MujocoRules, TheTimeLimitTruncates) {
  for (const auto& [name, limit] :
       {std::pair{"Swimmer-v4", 1000}, std::pair{"Reacher-v4", 50}, std::pair{"Pusher-v5", 100}}) {
    const auto env = make(name, 0);
    auto obs = obs_buffer(*env);
    env->reset(obs);
    for (int step = 1; step <= limit; ++step) {
      const auto result = env->step({}, obs);
      EXPECT_FALSE(result.terminated);
      EXPECT_EQ(result.truncated, step == limit) << name << " step " << step;
      EXPECT_EQ(result.score_episode_over, result.done());
    }
  }
}

TEST_F(MujocoRules, AFallTerminatesAndStillPaysTheBonus) {
  const auto env = make("Hopper-v4", 0);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  Action push;
  push.values.fill(1);
  tarl::rl::StepResult result;
  for (int step = 0; step < 300 && !result.done(); ++step) result = env->step(push, obs);
  EXPECT_TRUE(result.terminated);
  EXPECT_FALSE(result.truncated);
}

// A full action in our scale is the box's border in the simulator's.
inline void check_full_action(Environment& env) {
  const mujoco::Task& task = *mujoco::find_task("Humanoid-v4");
  mujoco::Simulator simulator(task);
  tarl::Tensors saved;
  tarl::StateWriter writer(saved);
  auto obs = obs_buffer(env);
  env.reset(obs);
  env.save(writer);
  simulator.set_state(saved.at("state").as<double>());
  Action full;
  full.values.fill(1);
  const auto result = env.step(full, obs);
  const std::vector<double> control(17, simulator.control_high(0));
  EXPECT_FLOAT_EQ(result.reward, static_cast<float>(simulator.advance(control).reward));
}

TEST_F(MujocoRules, ActionsAreScaledToTheEnvironmentsBox) {
  const auto env = make("Humanoid-v4", 0);
  EXPECT_FLOAT_EQ(env->spec().action.high[0], 0.4F);
  EXPECT_EQ(env->spec().action.size, 17);
  EXPECT_EQ(env->spec().obs.size(), 376);

  if constexpr (tarl::kMujocoBuilt) check_full_action(*env);
}

TEST_F(MujocoRules, ResetNoiseStaysInItsRange) {
  const auto env = make("Hopper-v4", 11);
  auto obs = obs_buffer(*env);
  for (int i = 0; i < 50; ++i) {
    env->reset(obs);
    std::vector<float> values(11);
    std::memcpy(values.data(), obs.data(), obs.size());
    EXPECT_NEAR(values[0], 1.25, 0.005);
    for (std::size_t j = 1; j < values.size(); ++j) EXPECT_LE(std::fabs(values[j]), 0.005F);
  }
}

TEST_F(MujocoRules, ThePushersObjectStartsBesideTheGoal) {
  const auto env = make("Pusher-v5", 11);
  auto obs = obs_buffer(*env);
  for (int i = 0; i < 50; ++i) {
    env->reset(obs);
    std::vector<float> values(23);
    std::memcpy(values.data(), obs.data(), obs.size());
    const float* object = &values[17];
    const float* goal = &values[20];
    const double x = object[1] - goal[1], y = object[0] - goal[0];  // its joints are y, then x
    EXPECT_GT(std::hypot(x, y), 0.17);
    EXPECT_GE(x, -0.3 - 1e-6);
    EXPECT_LE(x, 1e-6);
    EXPECT_LE(std::fabs(y), 0.2 + 1e-6);
  }
}

TEST_F(MujocoRules, ADoublePendulumThatFallsEndsWithoutItsBonus) {
  for (const auto& [name, bonus] : {std::pair{"InvertedDoublePendulum-v4", true},
                                    std::pair{"InvertedDoublePendulum-v5", false}}) {
    const auto env = make(name, 0);
    auto obs = obs_buffer(*env);
    env->reset(obs);
    Action push;
    push.values.fill(1);
    tarl::rl::StepResult result;
    for (int step = 0; step < 100 && !result.done(); ++step) result = env->step(push, obs);
    EXPECT_TRUE(result.terminated);
    EXPECT_EQ(result.reward > 0, bonus) << name;
  }
}

// Where this machine has OSMesa; otherwise the reason, and a drawing of our own from "auto".
TEST_F(MujocoRules, MuJoCosOwnPicturesTouchNoStateEither) {
  const auto& entry = tarl::envs::registry().find("Hopper-v4");
  using tarl::envs::RendererKind;
  const auto env_with = [&](RendererKind renderer) {
    tarl::envs::EnvConfig config = entry.completed({});
    config.renderer = renderer;
    auto env = entry.make(config, tarl::seeded(1));
    auto obs = obs_buffer(*env);
    env->reset(obs);
    return env;
  };
  const auto own = env_with(RendererKind::kOwn), mujoco = env_with(RendererKind::kMujoco),
             automatic = env_with(RendererKind::kAuto);
  std::string why;
  const auto plain = own->render(why), chosen = automatic->render(why);
  const auto picture = mujoco->render(why);
  ASSERT_TRUE(plain && chosen);
  if (picture) {
    EXPECT_EQ(picture->width, plain->width);
    EXPECT_NE(picture->rgb, plain->rgb);
    EXPECT_EQ(picture->rgb, chosen->rgb);
    // The ground with its squares is below: many more edges than in the sky above.
    const auto edges = [&](int row) {
      int count = 0;
      for (int x = 1; x < picture->width; ++x) {
        const auto at = static_cast<std::size_t>(3 * (row * picture->width + x));
        count += std::abs(picture->rgb[at] - picture->rgb[at - 3]) > 40 ? 1 : 0;
      }
      return count;
    };
    EXPECT_GT(edges(picture->height - 30), edges(10) + 3);
  } else {
    EXPECT_NE(why.find("OSMesa"), std::string::npos) << why;
    EXPECT_EQ(chosen->rgb, plain->rgb);
  }
  EXPECT_EQ(play(*mujoco, tarl::seeded(5), 60), play(*own, tarl::seeded(5), 60));
}

TEST_F(MujocoRules, ACheckpointOfAnotherVersionIsRefused) {
  const auto env = make("Hopper-v4", 1);
  auto obs = obs_buffer(*env);
  env->reset(obs);
  tarl::Tensors saved;
  tarl::StateWriter writer(saved);
  env->save(writer);
  writer.put("version", std::string("2.3.7"));
  EXPECT_THROW(env->load(tarl::StateReader(saved, "test")), tarl::Error);
}

}  // namespace
