// SPDX-License-Identifier: MIT
#include "fleet/host_run.h"

#include "tarl/core/build_config.h"

namespace tarl::fleet {
namespace {

using test::HostRun;
using test::idle_run;

void expect_same_scores(const train::EvaluationScores& ours,
                        const train::EvaluationScores& theirs) {
  EXPECT_EQ(ours.returns, theirs.returns);
  EXPECT_EQ(ours.lengths, theirs.lengths);
  EXPECT_EQ(ours.cut, theirs.cut);
}

void send(HostEvaluation& evaluation, rl::Agent& agent, double epsilon) {
  const train::WantedActions wanted = evaluation.wanted_actions();
  agent.act(wanted.obs, wanted.n, {.explore = false, .epsilon = epsilon}, wanted.streams,
            wanted.actions);
  evaluation.send();
}

// Runs as many evaluations as there are policies, while runs train on the same cores.
void expect_the_returns(const std::string& algo, const std::string& env,
                        std::vector<std::string> set = {}) {
  constexpr int kEpisodes = 5;
  const train::RunConfig config = idle_run(algo, env, 2, 3, set);
  const rl::MakeEnvironment make = train::environments_of(config);
  const Rng root = seeded(3);
  for (const int threads : {1, 2, 7}) {
    CorePool pool(test::threads(threads));
    HostRun training(pool, config);
    for (const char* number : {"eval/0", "eval/7"}) {
      const auto expected = train::evaluate_policy({.make = make,
                                                    .agent = *training.agent,
                                                    .episodes = kEpisodes,
                                                    .epsilon = 0.05,
                                                    .stream = root.fork(number)});
      HostEvaluation evaluation(pool, "evaluation", make, kEpisodes, root.fork(number));
      send(evaluation, *training.agent, 0.05);
      training.send();
      while (!evaluation.over()) {
        const auto id = pool.receive();
        ASSERT_TRUE(id);
        if (*id == training.lanes.id()) {
          if (training.arrived()) training.send();
          continue;
        }
        ASSERT_EQ(*id, evaluation.id());
        evaluation.end_step();
        if (!evaluation.over()) send(evaluation, *training.agent, 0.05);
      }
      expect_same_scores(evaluation.scores(), *expected);
      while (pool.busy(training.lanes.id())) {
        ASSERT_TRUE(pool.receive());
        training.arrived();
      }
    }
    EXPECT_GT(training.lanes.step(), 0);
  }
}

TEST(HostEvaluation, HasTheReturnsOfEvaluatePolicy) {
  expect_the_returns("dqn", "minatar/asterix");
  expect_the_returns("dqn", "classic/cartpole");
}

TEST(HostEvaluation, HasTheReturnsOfEvaluatePolicyInMujoco) {
  if (!kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  expect_the_returns("sac", "mujoco/hopper", {"policy.net_arch=[16,16]"});
}

}  // namespace
}  // namespace tarl::fleet
