// SPDX-License-Identifier: MIT
#include "tarl/train/policy.h"

#include <cstring>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/safetensors.h"
#include "tarl/store/checkpoint.h"
#include "tarl/train/evaluate.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

void expect_equal(const Tensors& a, const Tensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_EQ(tensor.bytes, b.at(name).bytes) << name;
  }
}

// Ten observations of CartPole with the pole falling to one side, then to the other.
std::vector<std::byte> ten_observations() {
  std::vector<float> values;
  for (int i = 0; i < 10; ++i) {
    const float angle = 0.04F * static_cast<float>(i - 5);
    values.insert(values.end(), {0.1F, 0, angle, 4 * angle});
  }
  std::vector<std::byte> obs(values.size() * sizeof(float));
  std::memcpy(obs.data(), values.data(), obs.size());
  return obs;
}

TEST(Policy, OfAFinishedRunIsItsModel) {
  const TemporaryFolder root;
  run_training(small_run(root / "run"));
  Policy policy(root / "run");
  EXPECT_FALSE(policy.checkpoint_step());
  EXPECT_EQ(policy.config().env, "classic/cartpole");
  EXPECT_EQ(policy.spec().action.count, 2);
  expect_equal(policy.agent().parameters(),
               load_safetensors(root / "run/model.safetensors").tensors);
}

TEST(Policy, OfAStoppedRunIsItsNewestCheckpoint) {
  const TemporaryFolder root;
  const RunOutcome stopped = stopped_run(small_run(root / "run"), 150);
  Policy policy(root / "run");
  EXPECT_EQ(policy.checkpoint_step(), stopped.step);
  std::vector<std::string> problems;
  const auto found = store::CheckpointStore(root / "run/checkpoints").load_newest(problems);
  ASSERT_TRUE(found);
  Tensors state;
  StateWriter out(state);
  StateWriter agent = out.group("loop").group("agent");
  policy.agent().save(agent);
  for (const auto& [name, tensor] : state) {
    ASSERT_TRUE(found->state.contains(name)) << name;
    EXPECT_EQ(tensor.bytes, found->state.at(name).bytes) << name;
  }
}

TEST(Policy, ActsOnManyAsOnEach) {
  const TemporaryFolder root;
  run_training(small_run(root / "run"));
  Policy policy(root / "run");
  const std::vector<std::byte> obs = ten_observations();
  const std::size_t bytes = policy.spec().obs.bytes();
  std::vector<rl::Action> together(10);
  policy.act(obs, together);
  for (std::size_t i = 0; i < together.size(); ++i) {
    const rl::Action alone = policy.act(std::span(obs).subspan(i * bytes, bytes));
    EXPECT_EQ(alone.index, together[i].index) << i;
  }
  EXPECT_THROW(policy.act(std::span(obs).first(bytes + 1)), std::logic_error);
}

TEST(Policy, PlaysAsEvaluationDoes) {
  const TemporaryFolder root;
  run_training(small_run(root / "run"));
  Policy policy(root / "run");
  const rl::MakeEnvironment make = [&](Rng) {
    return envs::registry().make("classic/cartpole", seeded(5));
  };
  const auto scores =
      evaluate_policy({.make = make, .agent = policy.agent(), .episodes = 1, .stream = seeded(1)});
  const auto env = make(Rng{});
  std::vector<std::byte> obs(policy.spec().obs.bytes());
  env->reset(obs);
  double points = 0;
  for (bool over = false; !over;) {
    const rl::StepResult result = env->step(policy.act(obs), obs);
    points += result.score;
    over = result.done();
  }
  EXPECT_EQ(scores->returns, std::vector<double>{points});
}

TEST(Policy, SaysWhatAFolderLacks) {
  const TemporaryFolder root;
  EXPECT_NE(error_of([&] { Policy(root / "none"); }).find("no run in"), std::string::npos);
  RunRequest request = small_run(root / "run");
  make_directories(root / "run");
  write_file_durably(root / "run/config.toml", config_to_toml(request.config, false));
  const std::string problem = error_of([&] { Policy(root / "run"); });
  EXPECT_NE(problem.find("no model and no checkpoint"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tarl::train
