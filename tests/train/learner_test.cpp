// SPDX-License-Identifier: MIT
#include "tarl/train/learner.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/replay/config.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/trace.h"

namespace tarl::train {
namespace {

using rl::Metric;

// A learner on CartPole with 200 transitions of random play in its memory.
class LearnerTest : public ::testing::Test {
 protected:
  void make(const std::string& algo, std::vector<std::string> set = {}, float reward = 1) {
    ConfigRequest request{.algo = algo, .env = "classic/cartpole", .set = std::move(set)};
    config_ = resolve(request);
    const Rng root = seeded(3);
    env_ = envs::registry().make(config_.env, root.fork("env"));
    agent_ = make_agent(config_, env_->spec(), root, team_);
    replay_ = replay::make_replay(config_.replay_in_use(), env_->spec().obs, env_->spec().action,
                                  1000, 1, 1, config_.gamma);
    learner_ = std::make_unique<Learner>(config_, *agent_, *replay_, env_->spec(), root);
    fill(root.fork("play"), reward);
  }

  void fill(Rng rng, float reward) {
    std::vector<std::byte> obs(env_->spec().obs.bytes()), next(obs.size());
    env_->reset(obs);
    for (int i = 0; i < 200; ++i) {
      rl::Action action;
      action.index = static_cast<std::int32_t>(rng.below(2));
      const rl::StepResult result = env_->step(action, next);
      replay_->add({.obs = obs,
                    .action = action,
                    .reward = i == 100 ? reward : result.reward,
                    .terminated = result.terminated,
                    .truncated = result.truncated,
                    .next_obs = next});
      obs = next;
      if (result.done()) env_->reset(obs);
    }
  }

  // The value of a logged figure after `steps` updates.
  double figure(Metric metric, int steps) {
    Means means;
    for (int i = 0; i < steps; ++i) learner_->step(0.5, means);
    return means.peek(metric, std::nan(""));
  }

  std::vector<std::byte> weights() { return agent_->parameters().begin()->second.bytes; }

  Team team_{1};
  RunConfig config_;
  std::unique_ptr<rl::Environment> env_;
  std::unique_ptr<rl::Agent> agent_;
  std::unique_ptr<rl::Replay> replay_;
  std::unique_ptr<Learner> learner_;
};

TEST_F(LearnerTest, EveryCandidateIsPerfectlyAlignedRightAfterASync) {
  make("ta-dqn");
  figure(Metric::kLoss, 5);
  learner_->sync_target(1);
  EXPECT_EQ(figure(Metric::kScenarioPerfect, 1), 1);
  learner_->sync_target(1);
  EXPECT_EQ(figure(Metric::kAlignmentMean, 1), 1);
}

TEST_F(LearnerTest, ALookSeesWhatTheNextStepSees) {
  for (const char* algo : {"ta-dqn", "ta-dqn+per"}) {
    make(algo, {"align.score=random", "align.trace=1"});
    Rng sample = seeded(3).fork("sample"), noise = seeded(3).fork("noise");
    learner_->look(1, 0.5, sample, noise);
    EXPECT_FALSE(learner_->is_traced());
    const store::Trace looked = looked_at(*learner_, 200, 1000);
    Means means;
    learner_->step(0.5, means);
    const store::Trace traced = traced_update(*learner_, 200, 1000);
    EXPECT_EQ(looked.update, traced.update);
    EXPECT_EQ(looked.lag, traced.lag);
    EXPECT_EQ(looked.slot, traced.slot);
    EXPECT_EQ(looked.age, traced.age);
    EXPECT_EQ(looked.y_online, traced.y_online);
    EXPECT_EQ(looked.score, traced.score);
    EXPECT_EQ(looked.kept, traced.kept);
  }
}

TEST_F(LearnerTest, LooksChangeNothing) {
  for (const char* algo : {"dqn", "ta-dqn", "ta-dqn+per", "ta-dqn+reaper"}) {
    make(algo);
    figure(Metric::kLoss, 20);
    const std::vector<std::byte> plain = weights();
    make(algo);
    Rng sample = seeded(8), noise = seeded(9);
    for (int i = 0; i < 20; ++i) {
      learner_->look(1 + i, 0.5, sample, noise);
      figure(Metric::kLoss, 1);
    }
    EXPECT_EQ(weights(), plain) << algo;
  }
}

TEST_F(LearnerTest, KeptRowsAreBetterAlignedThanAllCandidates) {
  make("ta-dqn", {"learning_rate=0.01"});
  Means means;
  for (int i = 0; i < 50; ++i) learner_->step(0.5, means);
  EXPECT_GT(means.peek(Metric::kAlignmentMean, 0), means.peek(Metric::kAlignmentMeanAll, 1));
  EXPECT_GE(means.peek(Metric::kAlignmentMin, 0), means.peek(Metric::kAlignmentMinAll, 1));
  EXPECT_DOUBLE_EQ(means.peek(Metric::kDiscardedShare, 0), 0.5);
  EXPECT_DOUBLE_EQ(means.peek(Metric::kTargetLag, 0), 25.5);
}

// The shares of the last update, counted by hand.
TEST_F(LearnerTest, LogsTheSharesOfTerminals) {
  for (const char* rule : {"score", "exempt", "match"}) {
    make("ta-dqn", {std::string("align.terminals=") + rule});
    double all = 0, kept = 0, m = static_cast<double>(config_.batch_size);
    Means means;
    for (int i = 0; i < 20; ++i) {
      learner_->step(0.5, means);
      const rl::Batch& batch = learner_->last_sample().batch;
      for (int row = 0; row < batch.rows; ++row) all += batch.discount[row] == 0;
      for (const std::int32_t row : learner_->last_kept()) kept += batch.discount[row] == 0;
      ASSERT_EQ(std::ssize(learner_->last_kept()), config_.batch_size);
    }
    EXPECT_GT(kept, 0) << rule;
    EXPECT_NEAR(means.peek(Metric::kTerminalShareAll, 0) * 20 * 2 * m, all, 1e-9) << rule;
    EXPECT_NEAR(means.peek(Metric::kTerminalShare, 0) * 20 * m, kept, 1e-9) << rule;
  }
}

TEST_F(LearnerTest, EveryScoreAndRuleLearnsSomethingElse) {
  std::vector<std::vector<std::byte>> all;
  for (const char* set :
       {"align.score=paper", "align.score=direction", "align.score=error", "align.score=random",
        "align.score=worst", "align.score=fresh", "align.score=signal", "align.score=above",
        "align.score=below", "align.terminals=exempt", "align.terminals=match"}) {
    make("ta-dqn", {"learning_rate=0.01", set});
    figure(Metric::kLoss, 60);
    for (const auto& other : all) EXPECT_FALSE(weights() == other) << set;
    all.push_back(weights());
  }
}

TEST_F(LearnerTest, TheFilterKeepsTheBestByTheScoreAndLogsThePapers) {
  make("ta-dqn", {"learning_rate=0.01", "align.score=worst"});
  Means means;
  for (int i = 0; i < 50; ++i) learner_->step(0.5, means);
  EXPECT_LT(means.peek(Metric::kAlignmentMean, 1), means.peek(Metric::kAlignmentMeanAll, 0));
}

TEST_F(LearnerTest, OtherUsesTakeTheScoreThatIsNamed) {
  for (const char* mode : {"weight", "scale", "prioritize"}) {
    make("dqn", {"learning_rate=0.01", std::string("align.mode=") + mode});
    figure(Metric::kLoss, 60);
    const auto paper = weights();
    make("dqn", {"learning_rate=0.01", std::string("align.mode=") + mode, "align.score=random"});
    figure(Metric::kLoss, 60);
    EXPECT_FALSE(weights() == paper) << mode;
  }
}

TEST_F(LearnerTest, APlainAgentIsThePlainAgentWhateverTheScore) {
  make("dqn", {"align.log=true"});
  figure(Metric::kLoss, 20);
  const auto plain = weights();
  make("dqn", {"align.log=true", "align.score=random"});
  figure(Metric::kLoss, 20);
  EXPECT_TRUE(weights() == plain);
}

TEST_F(LearnerTest, PlainAgentComputesNoAlignment) {
  make("dqn");
  EXPECT_TRUE(std::isnan(figure(Metric::kAlignmentMean, 1)));
}

TEST_F(LearnerTest, LoggingAlignmentDoesNotChangeTheUpdate) {
  make("dqn");
  figure(Metric::kLoss, 20);
  const auto plain = weights();
  make("dqn", {"align.log=true"});
  EXPECT_FALSE(std::isnan(figure(Metric::kAlignmentMean, 20)));
  EXPECT_TRUE(weights() == plain);
}

TEST_F(LearnerTest, ModesOfTheAppendixChangeTheUpdateAndOffDoesNot) {
  // Fast enough for targets to go stale within the updates made.
  const std::string fast = "learning_rate=0.01";
  make("dqn", {fast});
  figure(Metric::kLoss, 100);
  const auto plain = weights();
  for (const char* mode : {"weight", "scale", "prioritize"}) {
    make("dqn", {fast, std::string("align.mode=") + mode});
    figure(Metric::kLoss, 100);
    EXPECT_TRUE(weights() != plain) << mode;
  }
  make("ta-dqn", {fast, "align.mode=off"});
  figure(Metric::kLoss, 100);
  EXPECT_TRUE(weights() == plain);
}

TEST_F(LearnerTest, WeightWithExponentZeroIsThePlainAgent) {
  make("dqn");
  figure(Metric::kLoss, 20);
  const auto plain = weights();
  for (const char* mode : {"weight", "scale"}) {
    make("dqn", {std::string("align.mode=") + mode, "align.kappa=0"});
    figure(Metric::kLoss, 20);
    EXPECT_TRUE(weights() == plain) << mode;
  }
}

TEST_F(LearnerTest, AValueThatIsNotFiniteStopsBeforeTheOptimiserStep) {
  for (const char* algo : {"dqn", "ta-dqn", "ta-dqn+per"}) {
    make(algo, {}, std::numeric_limits<float>::quiet_NaN());
    Means means;
    auto before = weights();
    bool caught = false;
    for (int i = 0; i < 200 && !caught; ++i) {
      before = weights();
      try {
        learner_->step(0.5, means);
      } catch (const NonFiniteError&) {
        caught = true;
      }
    }
    EXPECT_TRUE(caught) << algo;
    EXPECT_TRUE(weights() == before) << algo;
    for (const auto& [name, tensor] : agent_->parameters()) {
      for (const float value : tensor.as<float>()) ASSERT_TRUE(std::isfinite(value)) << name;
    }
  }
}

TEST_F(LearnerTest, OnNanSkipLeavesTheUpdateOutAndGoesOn) {
  make("ta-dqn", {"on_nan=skip"}, std::numeric_limits<float>::infinity());
  EXPECT_GT(figure(Metric::kSkippedUpdates, 200), 0);
  EXPECT_TRUE(std::isfinite(figure(Metric::kLoss, 200)));
}

}  // namespace
}  // namespace tarl::train
