// SPDX-License-Identifier: MIT
//
// What the learner passes to an agent, checked against numbers computed by hand.
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/train/learner.h"

namespace tarl::train {
namespace {

constexpr float kPriorityWeight[] = {1.0F, 0.5F, 0.25F, 0.5F};  // raw importance weights

// Returns the test's assessment of four rows, and records what it is given to learn from.
class RecordingAgent final : public rl::Agent {
 public:
  // Online and offline errors of 2 and 1, 1 and 2, 1 and -1, 1 and 4. The first offline step is
  // supported in full and scores 1. The second goes too far and scores |1| / (|1| + |1 - 2|), the
  // third and fourth likewise: 1/2, 1/3 and 1/4, but for the 1e-8 in the denominators.
  RecordingAgent() {
    const float online[] = {2, 1, 1, 1}, offline[] = {1, 2, -1, 4};
    for (int row = 0; row < 4; ++row) {
      q_.push_back(10);
      y_online_.push_back(10 + online[row]);
      y_offline_.push_back(10 + offline[row]);
      abs_error_.push_back(offline[row] < 0 ? -offline[row] : offline[row]);
    }
  }

  const rl::Assessment& assess(const rl::Batch& batch, bool, Rng&) override {
    assessment_ = {batch.rows, 1, q_, y_online_, y_offline_, abs_error_};
    return assessment_;
  }

  const rl::UpdateStats& update(std::span<const std::int32_t> rows, std::span<const float> by,
                                Rng&) override {
    kept.assign(rows.begin(), rows.end());
    weight.assign(by.begin(), by.end());
    return stats_;
  }

  void act(std::span<const std::byte>, int, const rl::ActMode&, std::span<Rng>,
           std::span<rl::Action>) override {}

  void sync_target(double) override {}

  Tensors parameters() const override { return {}; }

  void set_parameters(const StateReader&) override {}

  void save(StateWriter&) const override {}

  void load(const StateReader&) override {}

  double update_flops(int, int, bool) const override { return 0; }

  std::vector<std::int32_t> kept;
  std::vector<float> weight;

 private:
  std::vector<float> q_, y_online_, y_offline_, abs_error_;
  rl::Assessment assessment_;
  rl::UpdateStats stats_;
};

// Draws the same four rows, and remembers the priorities it is given.
class FourRows final : public rl::Replay {
 public:
  std::int64_t size() const override { return 4; }

  std::int64_t capacity() const override { return 4; }

  std::size_t memory_bytes() const override { return 0; }

  void add(const rl::Transition&) override {}

  void truncate(int) override {}

  void sample(int rows, double, Rng&, rl::Sample& out) override {
    require(rows == 4, "four candidates are known");
    out.index = {0, 1, 2, 3};
    out.weight.assign(std::begin(kPriorityWeight), std::end(kPriorityWeight));
    out.batch.rows = rows;
  }

  void update_priorities(const rl::Sample&, std::span<const float> by) override {
    priority.assign(by.begin(), by.end());
  }

  rl::SegmentRange sealed() const override { return {}; }

  void save_segment(std::int64_t, StateWriter&) const override {}

  void save(StateWriter&) const override {}

  void load(const StateReader&) override {}

  void load_segment(const StateReader&) override {}

  std::vector<float> priority;
};

struct Told {
  std::vector<std::int32_t> kept;
  std::vector<float> weight, priority;
};

// What one update receives with these settings.
Told told(std::vector<std::string> set) {
  set.insert(set.begin(), "batch_size=4");
  const RunConfig config =
      resolve({.algo = "dqn", .env = "classic/cartpole", .set = std::move(set)});
  RecordingAgent agent;
  FourRows replay;
  const auto env = envs::registry().make(config.env, seeded(1));
  Learner learner(config, agent, replay, env->spec(), seeded(1));
  Means means;
  learner.step(0.5, means);
  return {agent.kept, agent.weight, replay.priority};
}

void expect_near(const std::vector<float>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-6) << "row " << i;
}

TEST(LearnerWeights, AreThoseOfTheReplayWhereScoresAreNotUsed) {
  for (const char* mode : {"align.mode=off", "align.mode=filter"}) {
    expect_near(told({mode, "align.margin=0"}).weight, {1, 0.5, 0.25, 0.5});
  }
}

// A row's loss is multiplied by its score: 1, 1/2, 1/3, 1/4.
TEST(LearnerWeights, ScaleMultipliesInTheScore) {
  const Told update = told({"align.mode=scale"});
  EXPECT_EQ(update.kept, (std::vector<std::int32_t>{0, 1, 2, 3}));
  expect_near(update.weight, {1, 0.5 / 2, 0.25 / 3, 0.5 / 4});
}

TEST(LearnerWeights, ScaleTakesTheScoreToThePowerKappa) {
  expect_near(told({"align.mode=scale", "align.kappa=2"}).weight, {1, 0.5 / 4, 0.25 / 9, 0.5 / 16});
}

// As scale, divided by the mean score: 1 + 1/2 + 1/3 + 1/4 = 25/12, a mean of 25/48.
TEST(LearnerWeights, WeightKeepsTheMeanScoreAtOne) {
  const double by = 48.0 / 25;
  expect_near(told({"align.mode=weight"}).weight, {by, by * 0.5 / 2, by * 0.25 / 3, by * 0.5 / 4});
}

// 1 + 1/4 + 1/9 + 1/16 = 205/144.
TEST(LearnerWeights, WeightTakesTheScoreToThePowerKappa) {
  const double by = 4 * 144.0 / 205;
  expect_near(told({"align.mode=weight", "align.kappa=2"}).weight,
              {by, by * 0.5 / 4, by * 0.25 / 9, by * 0.5 / 16});
}

// Of four candidates the two best; the largest of their importance weights becomes one.
TEST(LearnerWeights, FilterKeepsTheBestAndNormalisesTheirWeights) {
  const Told update = told({"batch_size=2", "align.mode=filter", "align.margin=1"});
  EXPECT_EQ(update.kept, (std::vector<std::int32_t>{0, 1}));
  expect_near(update.weight, {1, 0.5});
  expect_near(update.priority, {1, 2, 1, 4});
}

TEST(LearnerWeights, PrioritizeHandsScoresToTheReplay) {
  const Told update = told({"align.mode=prioritize"});
  expect_near(update.priority, {1, 1.0 / 2, 1.0 / 3, 1.0 / 4});
  expect_near(update.weight, {1, 0.5, 0.25, 0.5});
}

}  // namespace
}  // namespace tarl::train
