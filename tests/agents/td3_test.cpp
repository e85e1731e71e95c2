// SPDX-License-Identifier: MIT
#include "tarl/agents/td3.h"

#include <cmath>
#include <limits>

#include "agents/actor_critic/helpers.h"
#include "support/update_stats.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace {

using namespace actor_critic_tests;
using tarl::Rng;
using tarl::seeded;
using tarl::Team;
using tarl::agents::Td3Agent;
using tarl::agents::Td3Config;

constexpr int kObs = 7;
constexpr int kAction = 3;

Td3Config small_config() {
  Td3Config config;
  config.net_arch = {40, 24};
  return config;
}

Td3Agent make_agent(Team& team, int rows, const Td3Config& config = small_config()) {
  return Td3Agent(config, obs_spec(kObs), action_spec(kAction), rows, seeded(1), team);
}

tarl::Tensors state_of(const Td3Agent& agent) {
  tarl::Tensors state;
  tarl::StateWriter writer(state);
  agent.save(writer);
  return state;
}

TEST(Td3Agent, ActorAndTargetsMoveEveryPolicyDelay) {
  Team team(1);
  Td3Config config = small_config();
  config.policy_delay = 3;
  Td3Agent agent = make_agent(team, 16, config);
  Rng rng = seeded(4);
  for (int update = 1; update <= 6; ++update) {
    const auto before = state_of(agent);
    const auto batch = random_batch(kObs, kAction, 16, seeded(static_cast<unsigned>(update)));
    agent.assess(batch, false, rng);
    const auto stats = agent.update(first_rows(16), ones(16), rng);
    agent.sync_target(0.1);
    const auto after = state_of(agent);
    const bool due = update % 3 == 0;
    EXPECT_EQ(std::isfinite(tarl::test::stat(stats, tarl::rl::Metric::kActorLoss)), due);
    for (const char* name :
         {"actor.fc1.weight", "target.actor.fc1.weight", "target.critic.q2.fc1.weight"}) {
      EXPECT_EQ(before.at(name).bytes != after.at(name).bytes, due) << name << " " << update;
    }
    EXPECT_NE(before.at("critic.q1.fc1.weight").bytes, after.at("critic.q1.fc1.weight").bytes);
  }
}

TEST(Td3Agent, SmoothsTheTargetsActionWithinItsLimits) {
  Team team(1);
  Td3Config config = small_config();
  config.target_policy_noise = 0.2;
  config.target_noise_clip = 0.5;
  Td3Agent agent = make_agent(team, 4, config);
  const auto batch = random_batch(kObs, kAction, 4, seeded(3));
  Rng rng = seeded(4);
  const std::vector<float> quiet(4 * kAction, 0.0F);
  agent.use_noise(quiet);
  agent.assess(batch, false, rng);
  std::vector<float> mean;
  for (int row = 0; row < 4; ++row) {
    const float* action = agent.next_actions().row(row);
    mean.insert(mean.end(), action, action + kAction);
  }
  std::vector<float> noise(4 * kAction, 1.0F);  // 0.2
  noise[0] = 10;                                // 2, limited to 0.5
  noise[1] = -10;
  agent.use_noise(noise);
  agent.assess(batch, false, rng);
  for (int row = 0; row < 4; ++row) {
    for (int k = 0; k < kAction; ++k) {
      const auto i = static_cast<std::size_t>(row * kAction + k);
      const float shift = i == 0 ? 0.5F : i == 1 ? -0.5F : 0.2F;
      const float expected = std::min(1.0F, std::max(-1.0F, mean[i] + shift));
      EXPECT_NEAR(agent.next_actions().row(row)[k], expected, 1e-6);
    }
  }
}

TEST(Td3Agent, DdpgHasOneCriticAndTakesItsTarget) {
  Td3Config config = tarl::agents::ddpg_config();
  config.net_arch = {16, 16};
  Team team(1);
  Td3Agent agent = make_agent(team, 8, config);
  const auto batch = random_batch(kObs, kAction, 8, seeded(3));
  Rng rng = seeded(4);
  const auto& got = agent.assess(batch, true, rng);
  EXPECT_EQ(got.critics, 1);
  EXPECT_EQ(got.q.size(), 8U);
  // The target is still a copy: both targets agree.
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(got.y_online[i], got.y_offline[i]);
  const auto stats = agent.update(first_rows(8), ones(8), rng);
  EXPECT_TRUE(std::isfinite(tarl::test::stat(stats, tarl::rl::Metric::kActorLoss)));
  EXPECT_FALSE(agent.parameters().contains("critic.q2.fc1.weight"));
}

TEST(Td3Agent, BitsDependOnNeitherThreadsNorInstructionSet) {
  const auto run = [](int threads) {
    Team team(threads);
    Td3Agent agent = make_agent(team, 128);
    train(agent, kObs, kAction, 64, 4);
    return state_bytes(agent);
  };
  const auto expected = run(1);
  for (const int threads : {2, 3}) EXPECT_EQ(run(threads), expected) << threads << " threads";
  for (const std::string& set : tarl::nn::instruction_sets()) {
    tarl::nn::use_instruction_set(set);
    EXPECT_EQ(run(1), expected) << set;
  }
  tarl::nn::use_instruction_set("auto");
}

TEST(Td3Agent, ContinuesFromASavedState) {
  Team team(1);
  Td3Agent first = make_agent(team, 64), second = make_agent(team, 64);
  train(first, kObs, kAction, 32, 3);  // an odd number: between two of the actor's updates
  copy_state(first, second);
  train(first, kObs, kAction, 32, 2);
  train(second, kObs, kAction, 32, 2);
  EXPECT_EQ(state_bytes(first), state_bytes(second));
}

TEST(Td3Agent, ValuesThatAreNotFiniteStopBeforeAnyStep) {
  Team team(1);
  Td3Agent agent = make_agent(team, 16);
  auto batch = random_batch(kObs, kAction, 16, seeded(3));
  batch.reward[5] = std::numeric_limits<float>::infinity();
  const auto before = state_bytes(agent);
  Rng rng = seeded(4);
  agent.assess(batch, false, rng);
  EXPECT_THROW(agent.update(first_rows(16), ones(16), rng), tarl::NonFiniteError);
  EXPECT_EQ(state_bytes(agent), before);
}

TEST(Td3Agent, ExploresWithNoiseAroundItsMean) {
  Team team(1);
  Td3Agent agent = make_agent(team, 8);
  const std::vector<float> obs(kObs, 0.3F);
  const auto bytes = std::as_bytes(std::span(obs));
  tarl::rl::Action mean, action;
  Rng rng = seeded(4);
  agent.act(bytes, 1, {.explore = false}, std::span(&rng, 1), std::span(&mean, 1));
  EXPECT_EQ(rng.counter, 0U);
  double sum = 0, squares = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    agent.act(bytes, 1, {.explore = true}, std::span(&rng, 1), std::span(&action, 1));
    const double shift = double{action.values[0]} - double{mean.values[0]};
    sum += shift;
    squares += shift * shift;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 0.1, 0.01);
}

}  // namespace
