// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/hosted_run.h"

#include "fleet/hosted/hosted_case.h"
#include "fleet/hosted/local_agent.h"
#include "support/errors.h"
#include "train/poisoned_env.h"

#include "tarl/core/build_config.h"

namespace tarl::fleet {
namespace {

using test::CpuRun;
using test::DeviceCase;
using test::expect_same;
using Cases = std::vector<std::unique_ptr<DeviceCase>>;

train::RunConfig small_run(const std::string& algo, const std::string& env, int seed,
                           std::vector<std::string> more = {}) {
  std::vector<std::string> set = {"steps=400",
                                  "learning_starts=30",
                                  "batch_size=8",
                                  "buffer_size=90",
                                  "eval.count=3",
                                  "eval.episodes=2",
                                  "policy.net_arch=[16,16]",
                                  "seed=" + std::to_string(seed)};
  set.insert(set.end(), more.begin(), more.end());
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

using Engine = std::shared_ptr<HostEngine>;

Engine engine_of(int threads) {
  return std::make_shared<HostEngine>(test::cores(threads));
}

DeviceCase::Make hosted(const Engine& engine, int lateness) {
  return [engine, lateness](const train::RunConfig& config, const SavedRun& saved) {
    return std::make_unique<HostedRun>(
        engine, config, saved,
        [lateness](const train::RunConfig& own, const rl::EnvSpec& spec, const StateReader& loop,
                   const replay::Storage& replay) {
          return std::make_unique<test::LocalAgent>(own, spec, loop, replay, lateness);
        });
  };
}

std::int64_t updates_ahead(DeviceCase& one) {
  return dynamic_cast<HostedRun&>(one.run()).updates_ahead();
}

// Concurrent runs of two seeds, whose answers come at once or late, against train::Loop at each of
// these steps.
void expect_the_loops(const std::string& algo, const std::string& env,
                      std::vector<std::string> set = {}, bool ahead = true) {
  std::vector<std::vector<Tensors>> expected(2);
  const std::int64_t stops[] = {36, 100, 140, 388};  // at no evaluation
  for (int seed = 0; seed < 2; ++seed) {
    CpuRun loop(small_run(algo, env, seed, set));
    for (const std::int64_t stop : stops) {
      loop.run_to(stop);
      expected[static_cast<std::size_t>(seed)].push_back(loop.state());
    }
  }
  for (const auto& [threads, lateness] : {std::pair{1, 0}, std::pair{2, 3}, std::pair{5, 1}}) {
    const Engine engine = engine_of(threads);
    Cases cases;
    for (int seed = 0; seed < 2; ++seed) {
      cases.push_back(
          std::make_unique<DeviceCase>(small_run(algo, env, seed, set), hosted(engine, lateness)));
    }
    for (std::size_t at = 0; at < std::size(stops); ++at) {
      test::run_all_to(cases, stops[at], 61);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        expect_same(cases[i]->state(), expected[i][at],
                    algo + " on " + env + ", " + std::to_string(threads) + " threads, step " +
                        std::to_string(stops[at]));
      }
    }
    for (const auto& one : cases) EXPECT_EQ(updates_ahead(*one) > 0, ahead) << algo;
  }
}

TEST(HostedRun, IsTheLoopsForSac) {
  expect_the_loops("sac", "classic/pendulum");
  expect_the_loops("ta-sac", "classic/pendulum", {"gradient_steps=2", "n_envs=2"});
}

TEST(HostedRun, IsTheLoopsForTd3) {
  expect_the_loops("ta-td3", "classic/pendulum", {"train_freq=3", "n_steps=3"});
}

TEST(HostedRun, IsTheLoopsForDqn) {
  expect_the_loops("dqn", "classic/cartpole", {"target_update_interval=7", "train_freq=2"});
  expect_the_loops("ta-ddqn", "classic/cartpole",
                   {"learning_rate_schedule=linear", "target_update_interval=20"});
}

TEST(HostedRun, IsTheLoopsInMujoco) {
  if (!kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  expect_the_loops("ta-sac", "mujoco/hopper");
}

// Four steps beside an update each, unless it draws one of them, the target is synced or the slice
// ends: beside the loop at every one of many stops.
TEST(HostedRun, ActsBesideAnUpdateOfAStepToCome) {
  const train::RunConfig config =
      small_run("ta-dqn", "classic/cartpole", 4, {"target_update_interval=26", "eval.count=5"});
  const Engine engine = engine_of(3);
  CpuRun loop(config);
  DeviceCase one(config, hosted(engine, 2));
  test::LocalAgent::acts_beside = 0;
  for (std::int64_t stop = 37; stop < config.steps; stop += 13) {
    if (stop % 80 == 0) continue;  // there is an evaluation
    one.run_to(stop, 29);
    loop.run_to(stop);
    expect_same(one.state(), loop.state(), "step " + std::to_string(stop));
  }
  EXPECT_GT(test::LocalAgent::acts_beside, 20);
}

// Nearly every update draws the newest transition, from a replay that overwrites all the time.
TEST(HostedRun, WaitsForATransitionThatIsDrawn) {
  expect_the_loops("sac", "classic/pendulum", {"buffer_size=12"});
  expect_the_loops("sac", "classic/pendulum", {"buffer_size=2", "batch_size=64"}, false);
  expect_the_loops("dqn", "classic/cartpole", {"buffer_size=12", "n_envs=4", "n_steps=2"}, false);
}

// From the loop to the host and back after every step of some, and in the middle of one, where the
// loop is stopped in an evaluation.
TEST(HostedRun, MovesToTheLoopAndBack) {
  const train::RunConfig config = small_run("ta-sac", "classic/pendulum", 5, {"eval.count=10"});
  const Engine engine = engine_of(2);
  for (std::int64_t stop = 118; stop < 124; ++stop) {
    CpuRun whole(config), half(config);
    whole.run_to(180);
    half.run_to(stop);  // in step 120 an evaluation is due
    DeviceCase middle(config, hosted(engine, 1), half.state());
    middle.run_to(150, 7);
    CpuRun rest(config);
    const Tensors moved = middle.state();
    rest.loop.load(StateReader(moved, "test"));
    rest.run_to(180);
    expect_same(rest.state(), whole.state(), "moved at " + std::to_string(stop));
  }
}

TEST(HostedRun, EndsSlicesAtEvaluations) {
  const Engine engine = engine_of(2);
  DeviceCase one(small_run("sac", "classic/pendulum", 1), hosted(engine, 0));
  one.run().start(400);
  while (!one.run().ended()) std::this_thread::yield();
  const SliceReport report = one.run().report();
  EXPECT_EQ(report.position.step, 134);
  EXPECT_EQ(report.position.phase, train::Phase::kLearn);
  ASSERT_TRUE(report.evaluation);
  EXPECT_EQ(report.evaluation->returns.size(), 2U);
  EXPECT_EQ(report.updates, 133 - 30);
}

TEST(HostedRun, StopsAtWhatIsNotFiniteAsTheLoopDoes) {
  for (const auto part :
       {train::PoisonedEnv::Part::kReward, train::PoisonedEnv::Part::kObservation}) {
    train::add_poisoned("test/poisoned", "classic/pendulum", {.part = part});
    const train::RunConfig config = small_run("sac", "test/poisoned", 2);
    CpuRun loop(config);
    const std::string expected = tarl::test::error_of([&] { loop.run_to(400); });
    ASSERT_FALSE(expected.empty());
    const Engine engine = engine_of(2);
    DeviceCase one(config, hosted(engine, 2));
    one.run_to(400);
    EXPECT_EQ(one.nonfinite, expected);
    EXPECT_EQ(one.run().suspects().index, loop.loop.suspects().index);
    EXPECT_EQ(one.run().suspects().batch.obs, loop.loop.suspects().batch.obs);
  }
}

// A NaN or Inf that is already in the replay when an update meets it.
TEST(HostedRun, StopsAtAnUpdateThatIsNotFinite) {
  const train::RunConfig config = small_run("sac", "classic/pendulum", 2);
  CpuRun loop(config);
  loop.run_to(60);
  Tensors poisoned = loop.state();
  const float bad = std::numeric_limits<float>::infinity();
  auto& rewards = poisoned.at("replay/storage/tail/reward").bytes;
  std::memcpy(rewards.data() + 20 * sizeof bad, &bad, sizeof bad);
  CpuRun broken(config);
  broken.loop.load(StateReader(poisoned, "test"));
  const std::string expected = tarl::test::error_of([&] { broken.run_to(400); });
  const Engine engine = engine_of(2);
  DeviceCase one(config, hosted(engine, 2), poisoned);
  one.run_to(400);
  EXPECT_EQ(one.nonfinite, expected);
  EXPECT_EQ(one.run().suspects().index, broken.loop.suspects().index);
  EXPECT_EQ(one.run().suspects().batch.reward, broken.loop.suspects().batch.reward);
}

TEST(HostedRun, SaysWhatItHasNot) {
  const auto reason = [](std::vector<std::string> set) {
    return HostedRun::why_not(small_run("sac", "classic/pendulum", 1, std::move(set)));
  };
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason({"replay.kind=per"}), "replay.kind = per");
  EXPECT_EQ(reason({"normalize.obs=true"}), "normalize.obs or normalize.reward");
  EXPECT_EQ(reason({"log.every=10"}), "log.every (rows come with evaluations)");
}

TEST(HostedRun, LeavesWithStepsUnderWay) {
  for (int round = 0; round < 10; ++round) {
    const Engine engine = engine_of(2);
    DeviceCase stays(small_run("sac", "classic/pendulum", 1), hosted(engine, 2));
    {
      DeviceCase leaves(small_run("sac", "classic/pendulum", 2), hosted(engine, 2));
      leaves.start(400, 400);
      stays.run_to(10 + round, 100);
    }
    stays.run_to(40, 100);
    EXPECT_EQ(stays.step(), 40);
  }
}

}  // namespace
}  // namespace tarl::fleet
