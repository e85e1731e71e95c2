// SPDX-License-Identifier: MIT
//
// Whole runs that must reach a known score: each agent on a task it is known to solve.
#include <algorithm>
#include <numeric>

#include "learning/pixel_catch.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/train/run.h"

namespace tarl::train {
namespace {

// The mean return of each evaluation of a run of these settings.
std::vector<double> evaluations(const ConfigRequest& settings) {
  const test::TemporaryFolder folder;
  std::vector<double> returns;
  RunRequest request;
  request.config = resolve(settings);
  request.folder = folder.path() / "run";
  request.progress = [&returns](const Progress& progress) {
    if (progress.evaluated) returns.push_back(progress.evaluation);
  };
  run_training(request);
  return returns;
}

std::vector<double> evaluations(const std::string& algo, const std::string& env,
                                std::vector<std::string> set) {
  return evaluations({.algo = algo, .env = env, .set = std::move(set)});
}

class CartPole : public ::testing::TestWithParam<const char*> {};

// DQN forgets this task now and then and learns it again: it must have solved it, and still know it
// well at the end. Random play scores 22.
TEST_P(CartPole, IsSolved) {
  const std::vector<double> returns =
      evaluations(GetParam(), "classic/cartpole",
                  {"steps=40000", "learning_starts=1000", "train_freq=1", "batch_size=64",
                   "optimizer=adam", "learning_rate=5e-4", "target_update_interval=200",
                   "exploration_fraction=0.2", "eval.count=20", "eval.episodes=10"});
  EXPECT_GE(*std::max_element(returns.begin(), returns.end()), 475) << GetParam();
  EXPECT_GE(std::accumulate(returns.end() - 3, returns.end(), 0.0) / 3, 300) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Agents, CartPole,
                         ::testing::Values("dqn", "ta-dqn", "ddqn", "ta-ddqn+per"));

class ClassicPreset : public ::testing::TestWithParam<const char*> {};

// What a newcomer runs first: Gymnasium considers the task solved at 475.
TEST_P(ClassicPreset, SolvesCartPole) {
  const std::vector<double> returns =
      evaluations({.algo = "dqn", .env = "CartPole-v1", .preset = "classic", .seed = GetParam()});
  EXPECT_GE(returns.back(), 475);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClassicPreset, ::testing::Values("0", "1", "2"));

class Pendulum : public ::testing::TestWithParam<const char*> {};

TEST_P(Pendulum, IsSolved) {
  const std::vector<double> returns =
      evaluations(GetParam(), "classic/pendulum",
                  {"steps=20000", "learning_starts=500", "batch_size=128", "learning_rate=1e-3",
                   "policy.net_arch=[64, 64]", "tau=0.02", "eval.count=20", "eval.episodes=10"});
  EXPECT_GE(returns.back(), -250) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Agents, Pendulum, ::testing::Values("sac", "ta-sac", "td3", "ta-td3"));

class Catch : public ::testing::TestWithParam<const char*> {};

// From pixels, with the convolutions that play Atari games. Random play scores -0.6.
TEST_P(Catch, IsSolvedFromPixels) {
  test::add_pixel_catch();
  const std::vector<double> returns = evaluations(
      GetParam(), "test/catch",
      {"steps=5000", "learning_starts=300", "train_freq=2", "batch_size=16", "policy.net_arch=[64]",
       "optimizer=adam", "learning_rate=5e-4", "target_update_interval=200",
       "exploration_fraction=0.4", "eval.count=10", "eval.episodes=40"});
  EXPECT_GE(returns.back(), 0.9) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Agents, Catch, ::testing::Values("ddqn", "ta-ddqn"));

}  // namespace
}  // namespace tarl::train
