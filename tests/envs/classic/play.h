// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tarl/rl/environment.h"

// How tests of the classic tasks use an environment.
namespace tarl::envs::classic {

inline std::vector<float> floats(const std::vector<std::byte>& obs) {
  std::vector<float> values(obs.size() / sizeof(float));
  std::memcpy(values.data(), obs.data(), obs.size());
  return values;
}

inline rl::Action discrete(int index) {
  rl::Action action;
  action.index = index;
  return action;
}

inline rl::Action continuous(float value) {
  rl::Action action;
  action.values[0] = value;
  return action;
}

// Resets the environment.
inline std::vector<std::byte> first_observation(rl::Environment& env) {
  std::vector<std::byte> obs(env.spec().obs.bytes());
  env.reset(obs);
  return obs;
}

inline void expect_cut_after(rl::Environment& env, const rl::Action& always, int limit) {
  std::vector<std::byte> obs = first_observation(env);
  for (int step = 1; step <= limit; ++step) {
    const rl::StepResult result = env.step(always, obs);
    EXPECT_FALSE(result.terminated);
    EXPECT_EQ(result.truncated, step == limit) << step;
    EXPECT_EQ(result.score_episode_over, result.done());
  }
}

// Saves `env` in the middle of an episode, loads it into `other`, and continues both, across
// resets.
template <class Policy>
void expect_exact_resume(rl::Environment& env, rl::Environment& other, int steps, Policy policy) {
  std::vector<std::byte> obs = first_observation(env), other_obs = obs;
  for (int t = 0; t < 5; ++t) env.step(policy(t), obs);
  Tensors saved;
  StateWriter writer(saved);
  env.save(writer);
  other.load(StateReader(saved, "memory"));
  std::string why;
  EXPECT_EQ(env.render(why).value().rgb, other.render(why).value().rgb);
  EXPECT_EQ(env.render(why).value().rgb, other.picture_of(obs, why).value().rgb);
  for (int t = 0; t < steps; ++t) {
    const rl::StepResult result = env.step(policy(t), obs);
    EXPECT_EQ(other.step(policy(t), other_obs).reward, result.reward);
    ASSERT_EQ(obs, other_obs) << t;
    if (!result.done()) continue;
    env.reset(obs);
    other.reset(other_obs);
    ASSERT_EQ(obs, other_obs) << t;
  }
}

}  // namespace tarl::envs::classic
