// SPDX-License-Identifier: MIT
#include "tarl/agents/sac.h"

#include <cmath>
#include <limits>

#include "agents/actor_critic/helpers.h"
#include "support/update_stats.h"
#include <gtest/gtest.h>

#include "tarl/align/align.h"
#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace {

using namespace actor_critic_tests;
using tarl::Rng;
using tarl::seeded;
using tarl::Team;
using tarl::agents::SacAgent;
using tarl::agents::SacConfig;

constexpr int kObs = 7;
constexpr int kAction = 3;

SacConfig small_config() {
  SacConfig config = completed(SacConfig{}, kAction);
  config.net_arch = {40, 24};
  return config;
}

SacAgent make_agent(Team& team, int rows, const SacConfig& config = small_config()) {
  return SacAgent(config, obs_spec(kObs), action_spec(kAction), rows, seeded(1), team);
}

// One hidden unit carries the first observation, so that Q = bias + weight * max(obs, 0).
void set_critic(tarl::Tensors& state, const std::string& name, float bias, float weight) {
  state[name + "fc1.weight"] = tarl::Tensor::of<float>(std::vector<float>{1, 0, 0, 0}, {2, 2});
  state[name + "fc2.weight"] = tarl::Tensor::of<float>(std::vector<float>{1, 0, 0, 0}, {2, 2});
  state[name + "out.weight"] = tarl::Tensor::of<float>(std::vector<float>{weight, 0}, {1, 2});
  for (const char* layer : {"fc1.bias", "fc2.bias"}) {
    state[name + layer] = tarl::Tensor::of<float>(std::vector<float>{0, 0}, {2});
  }
  state[name + "out.bias"] = tarl::Tensor::of<float>(std::vector<float>{bias}, {1});
}

TEST(SacAgent, TargetsAndScoreOfTheNumericExample) {
  SacConfig config = completed(SacConfig{}, 1);
  config.net_arch = {2, 2};
  Team team(1);
  SacAgent agent(config, obs_spec(1), action_spec(1), 1, seeded(1), team);
  tarl::Tensors state;
  tarl::StateWriter writer(state);
  agent.save(writer);
  set_critic(state, "critic.q1.", 4.4F, 3.0F - 4.4F);
  set_critic(state, "critic.q2.", 3.9F, 6.0F - 3.9F);
  set_critic(state, "target.critic.q1.", 4.0F, 0);
  set_critic(state, "target.critic.q2.", 3.5F, 0);
  for (const char* name : {"actor.mu.weight", "actor.log_std.weight"}) {
    state[name] = tarl::Tensor::of<float>(std::vector<float>{0, 0}, {1, 2});
  }
  state["actor.mu.bias"] = tarl::Tensor::of<float>(std::vector<float>{0}, {1});
  // With no noise log pi = -log_std - log(2 pi)/2 - log(1 + 1e-6).
  const float log_std = static_cast<float>(1.5 - 0.9189385332 - 1e-6);
  state["actor.log_std.bias"] = tarl::Tensor::of<float>(std::vector<float>{log_std}, {1});
  const float log_alpha = std::log(0.2F);
  writer.put("log_alpha", log_alpha);
  agent.load(tarl::StateReader(state, "test"));

  tarl::rl::Batch batch(obs_spec(1), action_spec(1), 1);
  batch.rows = 1;
  set_row(batch.obs, 0, std::vector<float>{1});
  set_row(batch.next_obs, 0, std::vector<float>{0});
  batch.reward[0] = 0.3F;
  batch.discount[0] = 0.99F;
  const std::vector<float> quiet = {0};
  agent.use_noise(quiet, quiet);
  Rng rng = seeded(0);
  const tarl::rl::Assessment& got = agent.assess(batch, true, rng);
  EXPECT_NEAR(got.q[0], 3.0, 1e-6);
  EXPECT_NEAR(got.q[1], 6.0, 1e-6);
  EXPECT_NEAR(got.y_offline[0], 4.062, 1e-5);
  EXPECT_NEAR(got.y_online[0], 4.458, 1e-5);
  EXPECT_NEAR(got.abs_error[0], (1.062 + 1.938) / 2, 1e-5);
  tarl::align::Scores scores;
  tarl::align::score_candidates({1, 2, got.q, got.y_online, got.y_offline}, scores);
  EXPECT_NEAR(scores.score[0], 0.7956656306, 1e-5);
}

TEST(SacAgent, IndependentTargetsScoreEachCriticWithItsOwn) {
  SacConfig config = small_config();
  Team team(1);
  SacAgent clipped = make_agent(team, 16, config);
  config.alignment_target = tarl::agents::AlignmentTarget::kIndependent;
  SacAgent independent = make_agent(team, 16, config);
  const auto batch = random_batch(kObs, kAction, 16, seeded(3));
  Rng rng_a = seeded(4), rng_b = seeded(4);
  const auto& a = clipped.assess(batch, true, rng_a);
  const auto& b = independent.assess(batch, true, rng_b);
  int own = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(a.y_offline[i], a.y_offline[16 + i]);
    EXPECT_EQ(std::min(b.y_offline[i], b.y_offline[16 + i]), a.y_offline[i]);
    own += b.y_offline[i] != b.y_offline[16 + i] ? 1 : 0;
    EXPECT_EQ(a.abs_error[i], b.abs_error[i]);
  }
  EXPECT_GT(own, 8);
  // The training data is the same.
  clipped.update(first_rows(16), ones(16), rng_a);
  independent.update(first_rows(16), ones(16), rng_b);
  EXPECT_EQ(state_bytes(clipped), state_bytes(independent));
}

TEST(SacAgent, TemperatureFallsWhenEntropyIsAboveItsTarget) {
  for (const double target : {-50.0, 50.0}) {
    SacConfig config = small_config();
    config.target_entropy = target;
    Team team(1);
    SacAgent agent = make_agent(team, 32, config);
    const auto batch = random_batch(kObs, kAction, 32, seeded(3));
    Rng rng = seeded(4);
    agent.assess(batch, false, rng);
    agent.update(first_rows(32), ones(32), rng);
    const float log_alpha = agent.parameters().at("log_alpha").as<float>()[0];
    if (target < 0) {
      EXPECT_LT(log_alpha, 0);
    } else {
      EXPECT_GT(log_alpha, 0);
    }
  }
}

TEST(SacAgent, AFixedTemperatureStays) {
  SacConfig config = small_config();
  config.ent_coef = "0.25";
  Team team(1);
  SacAgent agent = make_agent(team, 16, config);
  const auto batch = random_batch(kObs, kAction, 16, seeded(3));
  Rng rng = seeded(4);
  agent.assess(batch, false, rng);
  const auto stats = agent.update(first_rows(16), ones(16), rng);
  EXPECT_NEAR(tarl::test::stat(stats, tarl::rl::Metric::kEntropyCoefficient), 0.25, 1e-7);
  EXPECT_NEAR(std::exp(agent.parameters().at("log_alpha").as<float>()[0]), 0.25, 1e-6);
}

TEST(SacAgent, BitsDependOnNeitherThreadsNorInstructionSet) {
  const auto run = [](int threads) {
    Team team(threads);
    SacAgent agent = make_agent(team, 128);
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

TEST(SacAgent, KeptRowsLearnAsIfTheyHadComeAlone) {
  Team team(1);
  SacAgent aligned = make_agent(team, 48), plain = make_agent(team, 48);
  const auto batch = random_batch(kObs, kAction, 48, seeded(3));
  const std::vector<std::int32_t> kept = {40, 3, 17, 18, 25, 9, 47, 0};
  std::vector<std::int32_t> ascending = kept;
  std::sort(ascending.begin(), ascending.end());
  Rng rng = seeded(4);
  const std::vector<float> next = normals(rng, 48 * kAction), policy = normals(rng, 48 * kAction);
  std::vector<float> kept_next, kept_policy;
  for (const std::int32_t row : ascending) {
    for (int k = 0; k < kAction; ++k) {
      kept_next.push_back(next[static_cast<std::size_t>(row * kAction + k)]);
      kept_policy.push_back(policy[static_cast<std::size_t>(row * kAction + k)]);
    }
  }
  aligned.use_noise(next, policy);
  aligned.assess(batch, true, rng);
  aligned.update(kept, ones(kept.size()), rng);

  plain.use_noise(kept_next, kept_policy);
  const auto alone = rows_of(batch, kObs, kAction, ascending);
  plain.assess(alone, false, rng);
  plain.update(first_rows(static_cast<int>(kept.size())), ones(kept.size()), rng);
  EXPECT_EQ(state_bytes(aligned), state_bytes(plain));
}

TEST(SacAgent, ScoringWithoutOversamplingChangesNothing) {
  Team team(1);
  SacAgent scored = make_agent(team, 32), plain = make_agent(team, 32);
  Rng rng_a = seeded(4), rng_b = seeded(4);
  for (int i = 0; i < 3; ++i) {
    const auto batch = random_batch(kObs, kAction, 32, seeded(10 + static_cast<unsigned>(i)));
    scored.assess(batch, true, rng_a);
    plain.assess(batch, false, rng_b);
    scored.update(first_rows(32), ones(32), rng_a);
    plain.update(first_rows(32), ones(32), rng_b);
  }
  EXPECT_EQ(rng_a, rng_b);
  EXPECT_EQ(state_bytes(scored), state_bytes(plain));
}

TEST(SacAgent, ContinuesFromASavedState) {
  Team team(1);
  SacAgent first = make_agent(team, 64), second = make_agent(team, 64);
  train(first, kObs, kAction, 32, 3);
  copy_state(first, second);
  train(first, kObs, kAction, 32, 2);
  train(second, kObs, kAction, 32, 2);
  EXPECT_EQ(state_bytes(first), state_bytes(second));
}

TEST(SacAgent, WeightsScaleTheCriticsLossOnly) {
  Team team(1);
  SacAgent agent = make_agent(team, 16), doubled = make_agent(team, 16);
  const auto batch = random_batch(kObs, kAction, 16, seeded(3));
  Rng rng_a = seeded(4), rng_b = seeded(4);
  agent.assess(batch, false, rng_a);
  doubled.assess(batch, false, rng_b);
  const auto a = agent.update(first_rows(16), ones(16), rng_a);
  const auto b = doubled.update(first_rows(16), std::vector<float>(16, 2.0F), rng_b);
  EXPECT_NEAR(tarl::test::stat(b, tarl::rl::Metric::kCriticLoss),
              2 * tarl::test::stat(a, tarl::rl::Metric::kCriticLoss), 1e-9);
  EXPECT_EQ(tarl::test::stat(b, tarl::rl::Metric::kEntropyCoefficientLoss),
            tarl::test::stat(a, tarl::rl::Metric::kEntropyCoefficientLoss));
  const auto grads_a = agent.gradients(), grads_b = doubled.gradients();
  const auto at = [](const tarl::Tensors& grads, std::size_t i) {
    return grads.at("critic.q1.fc1.weight").as<float>()[i];
  };
  for (std::size_t i = 0; i < 20; ++i) EXPECT_FLOAT_EQ(at(grads_b, i), 2 * at(grads_a, i));
}

TEST(SacAgent, ValuesThatAreNotFiniteStopBeforeAnyStep) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* where : {"reward", "obs", "next_obs"}) {
    Team team(2);
    SacAgent agent = make_agent(team, 32);
    auto batch = random_batch(kObs, kAction, 32, seeded(3));
    if (where == std::string("reward")) batch.reward[5] = nan;
    const std::vector<float> bad(kObs, nan);
    if (where == std::string("obs")) set_row(batch.obs, 5, bad);
    if (where == std::string("next_obs")) {
      set_row(batch.next_obs, 5, bad);
      batch.discount[5] = 0.99F;
    }
    const auto before = state_bytes(agent);
    Rng rng = seeded(4);
    agent.assess(batch, false, rng);
    EXPECT_THROW(agent.update(first_rows(32), ones(32), rng), tarl::NonFiniteError) << where;
    EXPECT_EQ(state_bytes(agent), before) << where;
  }
}

TEST(SacAgent, ActsAloneAsInACrowd) {
  Team team(2);
  SacAgent agent = make_agent(team, 40);
  Rng rng = seeded(9);
  constexpr int kRows = 100;
  const std::vector<float> obs = normals(rng, kRows * kObs);
  const auto bytes = std::as_bytes(std::span(obs));
  for (const bool explore : {true, false}) {
    std::vector<Rng> streams;
    for (int i = 0; i < kRows; ++i) streams.push_back(seeded(static_cast<unsigned>(i)));
    std::vector<Rng> single = streams;
    std::vector<tarl::rl::Action> together(kRows);
    agent.act(bytes, kRows, {.explore = explore}, streams, together);
    for (std::size_t i = 0; i < kRows; ++i) {
      tarl::rl::Action alone;
      agent.act(bytes.subspan(i * kObs * 4, kObs * 4), 1, {.explore = explore},
                std::span(single).subspan(i, 1), std::span(&alone, 1));
      EXPECT_EQ(alone.values, together[i].values);
      EXPECT_EQ(single[i], streams[i]);
      EXPECT_EQ(streams[i].counter, explore ? kAction : 0);
      for (int k = 0; k < kAction; ++k) {
        EXPECT_LE(std::fabs(alone.values[static_cast<std::size_t>(k)]), 1.0F);
      }
    }
  }
}

TEST(SacAgent, LearnsTheBestActionOfOneStep) {
  SacConfig config = completed(SacConfig{}, 1);
  config.net_arch = {32, 32};
  config.learning_rate = 3e-3;
  config.ent_coef = "0.01";
  Team team(1);
  SacAgent agent(config, obs_spec(1), action_spec(1), 64, seeded(1), team);
  Rng rng = seeded(2), data = seeded(3);
  tarl::rl::Batch batch(obs_spec(1), action_spec(1), 64);
  batch.rows = 64;
  for (int update = 0; update < 400; ++update) {
    for (int row = 0; row < 64; ++row) {
      const float action = static_cast<float>(2 * data.uniform() - 1);
      batch.action[static_cast<std::size_t>(row)] = action;
      batch.reward[static_cast<std::size_t>(row)] = -4 * (action - 0.4F) * (action - 0.4F);
    }
    agent.assess(batch, false, rng);
    agent.update(first_rows(64), ones(64), rng);
    agent.sync_target(0.005);
  }
  tarl::rl::Action action;
  const float obs = 0;
  agent.act(std::as_bytes(std::span(&obs, 1)), 1, {.explore = false}, std::span(&rng, 1),
            std::span(&action, 1));
  EXPECT_NEAR(action.values[0], 0.4, 0.1);
}

TEST(SacAgent, RefusesImages) {
  Team team(1);
  tarl::rl::ObsSpec image;
  image.kind = tarl::rl::ObsKind::kBits;
  EXPECT_THROW(SacAgent(small_config(), image, action_spec(2), 8, seeded(1), team),
               tarl::UsageError);
}

}  // namespace
