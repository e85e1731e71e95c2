// SPDX-License-Identifier: MIT
#include "tarl/fleet/host_lanes.h"

#include "fleet/host_run.h"
#include "support/errors.h"
#include "train/poisoned_env.h"

#include "tarl/core/build_config.h"

namespace tarl::fleet {
namespace {

using test::CpuRun;
using test::HostRun;
using test::idle_run;
using Runs = std::vector<std::unique_ptr<HostRun>>;

// Compares whole runs with train::Loop, three seeds at a time on the same cores.
void expect_the_loops(const std::string& algo, const std::string& env, int n_envs,
                      std::int64_t steps, std::vector<std::string> set = {}) {
  std::vector<Tensors> expected;
  for (int seed = 1; seed <= 3; ++seed) {
    CpuRun loop(idle_run(algo, env, n_envs, seed, set));
    loop.run_to(steps);
    expected.push_back(loop.state());
  }
  for (const int threads : {1, 2, 7}) {
    CorePool pool(test::threads(threads));
    Runs runs;
    for (int seed = 1; seed <= 3; ++seed) {
      runs.push_back(std::make_unique<HostRun>(pool, idle_run(algo, env, n_envs, seed, set)));
    }
    test::run_to(pool, runs, steps);
    int episodes = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      EXPECT_EQ(runs[i]->lanes.step(), steps);
      episodes += runs[i]->episodes;
      test::expect_part_of(runs[i]->state(), expected[i],
                           env + ", " + std::to_string(threads) + " threads");
    }
    EXPECT_GT(episodes, 0) << env;
  }
}

TEST(HostLanes, AreTheLoopsInMinatar) {
  expect_the_loops("dqn", "minatar/breakout", 1, 900);
  expect_the_loops("dqn", "minatar/asterix", 3, 900);
}

TEST(HostLanes, AreTheLoopsInClassicControl) {
  expect_the_loops("dqn", "classic/cartpole", 4, 800);
}

TEST(HostLanes, AreTheLoopsInMujoco) {
  if (!kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  expect_the_loops("sac", "mujoco/hopper", 2, 400, {"policy.net_arch=[16,16]"});
}

TEST(HostLanes, AreTheLoopsInBox2d) {
  if (!kBox2dBuilt) GTEST_SKIP() << "Box2D is not in this build";
  expect_the_loops("td3", "box2d/bipedal_walker", 2, 400, {"policy.net_arch=[16,16]"});
}

TEST(HostLanes, MoveBetweenPoolsAndLoopsInTheMiddle) {
  const train::RunConfig config = idle_run("dqn", "minatar/space_invaders", 2, 5);
  CpuRun whole(config), half(config);
  whole.run_to(900);
  half.run_to(400);
  Tensors first;
  {
    CorePool pool(test::threads(2));
    Runs runs;
    runs.push_back(std::make_unique<HostRun>(pool, config));
    test::run_to(pool, runs, 400);
    first = runs.front()->state();
    test::expect_part_of(first, half.state(), "halfway");
  }
  // From another number of threads, and from train::Loop.
  for (const Tensors& saved : {first, half.state()}) {
    CorePool pool(test::threads(7));
    Runs runs;
    runs.push_back(std::make_unique<HostRun>(pool, config, 400));
    runs.front()->load(saved);
    test::run_to(pool, runs, 900);
    test::expect_part_of(runs.front()->state(), whole.state(), "to the end");
  }
  // And to train::Loop.
  Tensors mixed = half.state();
  for (const auto& [name, tensor] : first) mixed[name] = tensor;
  CpuRun rest(config);
  rest.loop.load(StateReader(mixed, "test"));
  rest.run_to(900);
  EXPECT_TRUE(rest.state().at("lane/1/obs").bytes == whole.state().at("lane/1/obs").bytes);
  test::expect_part_of(rest.state(), whole.state(), "the loop's end");
}

// If train::Loop stops at an evaluation, an environment has stepped and, if its episode is over,
// the next one has not started yet.
TEST(HostLanes, MoveInAStep) {
  const train::RunConfig config =
      idle_run("dqn", "minatar/breakout", 1, 6, {"eval.count=200", "eval.episodes=1"});
  CorePool pool(test::threads(2));
  int over = 0;
  for (std::int64_t stop = 310; stop < 420; stop += 10) {
    CpuRun whole(config), stopped(config);
    whole.run_to(stop + 55);
    stopped.run_to(stop);  // an evaluation is due
    const Tensors saved = stopped.state();
    rl::StepResult result;
    StateReader(saved, "test").group("lane/0").get("result", result);
    over += result.done() ? 1 : 0;

    Runs there, resumed;
    there.push_back(std::make_unique<HostRun>(pool, config));
    test::run_to(pool, there, stop - 1);
    there.front()->send();
    ASSERT_EQ(pool.receive(), there.front()->lanes.id());
    test::expect_part_of(there.front()->state(), saved, "in step " + std::to_string(stop));

    resumed.push_back(std::make_unique<HostRun>(pool, config, stop));
    resumed.front()->load(saved, true);
    test::run_to(pool, resumed, stop + 55);
    test::expect_part_of(resumed.front()->state(), whole.state(), "after " + std::to_string(stop));
  }
  EXPECT_GT(over, 0);
}

TEST(HostLanes, ObservationsLieWhereTheCallerWantsThem) {
  const train::RunConfig config = idle_run("dqn", "minatar/breakout", 3, 1);
  const rl::MakeEnvironment make = train::environments_of(config);
  const std::shared_ptr<std::byte> memory = train::plain_memory(1 << 16);
  std::size_t asked = 0;
  CorePool pool(test::threads(2));
  HostLanes lanes(pool, {.name = "run",
                         .env = config.env,
                         .make = make,
                         .root = seeded(1),
                         .n_envs = 3,
                         .allocate = [&](std::size_t bytes) {
                           asked = bytes;
                           return memory;
                         }});
  const std::byte* even = lanes.slots().obs().data();
  const std::byte* odd = lanes.slots().next_obs().data();
  EXPECT_EQ(even, memory.get());
  EXPECT_LE(odd + lanes.slots().obs().size(), memory.get() + asked);
  for (int step = 0; step < 100; ++step) {
    EXPECT_EQ(lanes.slots().obs().data(), step % 2 == 0 ? even : odd);
    lanes.send();
    ASSERT_EQ(pool.receive(), lanes.id());
    if (!lanes.end_step([](const train::FinishedEpisode&) {})) {
      ASSERT_EQ(pool.receive(), lanes.id());
    }
  }
}

// Throws at its hundredth step.
class FailingEnv final : public rl::Environment {
 public:
  explicit FailingEnv(std::unique_ptr<rl::Environment> env) : env_(std::move(env)) {}

  const rl::EnvSpec& spec() const override { return env_->spec(); }

  void reset(std::span<std::byte> obs) override { env_->reset(obs); }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    if (++steps_ == 100) throw Error("the simulator broke");
    return env_->step(action, obs);
  }

  void save(StateWriter& out) const override { env_->save(out); }

  void load(const StateReader& in) override { env_->load(in); }

 private:
  std::unique_ptr<rl::Environment> env_;
  int steps_ = 0;
};

// Run 2 of three uses the environment `name`; returns what receive() threw for it. The other runs
// end as usual.
std::exception_ptr failure_of(const std::string& name, int threads, std::string& message) {
  CorePool pool(test::threads(threads));
  Runs runs;
  for (int seed = 1; seed <= 3; ++seed) {
    runs.push_back(std::make_unique<HostRun>(
        pool, idle_run("dqn", seed == 2 ? name : "classic/cartpole", 2, seed)));
  }
  std::exception_ptr cause;
  try {
    test::run_to(pool, runs, 600);
  } catch (const GroupFailure& failure) {
    EXPECT_EQ(failure.group(), runs[1]->lanes.id());
    EXPECT_EQ(runs[1]->lanes.step(), 200);
    message = failure.what();
    cause = failure.cause();
  }
  EXPECT_NE(cause, nullptr);
  runs.erase(runs.begin() + 1);
  test::run_to(pool, runs, 600);
  for (const auto& run : runs) {
    CpuRun loop(run->config);
    loop.run_to(600);
    test::expect_part_of(run->state(), loop.state(), "beside a failure");
  }
  return cause;
}

TEST(HostLanes, AnEnvironmentThatThrowsStopsItsRunAlone) {
  const auto make = envs::registry().find("classic/cartpole").make;
  envs::registry().add({.name = "test/failing",
                        .aliases = {},
                        .title = "for tests",
                        .make = [make](const envs::EnvConfig& config, Rng rng) {
                          return std::make_unique<FailingEnv>(make(config, rng));
                        }});
  for (const int threads : {1, 2, 7}) {
    std::string message;
    const std::exception_ptr cause = failure_of("test/failing", threads, message);
    EXPECT_EQ(message, "run-2, environment 0: the simulator broke");
    EXPECT_THROW(std::rethrow_exception(cause), Error);
  }
}

TEST(HostLanes, RefuseWhatIsNotFiniteAsTheLoopDoes) {
  for (const auto part :
       {train::PoisonedEnv::Part::kReward, train::PoisonedEnv::Part::kObservation}) {
    train::add_poisoned("test/poisoned", "classic/cartpole", {.part = part});
    CpuRun loop(idle_run("dqn", "test/poisoned", 2, 2));
    const std::string expected = tarl::test::error_of([&] { loop.run_to(600); });
    EXPECT_NE(expected.find("step 200: test/poisoned gave"), std::string::npos) << expected;
    std::string message;
    const std::exception_ptr cause = failure_of("test/poisoned", 2, message);
    EXPECT_EQ(message, "run-2, environment 0: " + expected);
    EXPECT_THROW(std::rethrow_exception(cause), NonFiniteError);
  }
}

TEST(HostLanes, LeaveWithStepsUnderWay) {
  for (int round = 0; round < 20; ++round) {
    CorePool pool(test::threads(2));
    Runs runs;
    for (int seed = 1; seed <= 4; ++seed) {
      runs.push_back(std::make_unique<HostRun>(pool, idle_run("dqn", "minatar/seaquest", 3, seed)));
      runs.back()->send();
    }
    runs.erase(runs.begin() + 1);
    const auto id = pool.receive();
    ASSERT_TRUE(id);
    EXPECT_TRUE(std::any_of(runs.begin(), runs.end(),
                            [&](const auto& run) { return run->lanes.id() == *id; }));
  }
}

TEST(HostLanes, AreUsedInTurn) {
  CorePool pool(test::threads(1));
  HostRun run(pool, idle_run("dqn", "minatar/breakout", 1, 1));
  EXPECT_THROW(run.lanes.end_step({}), std::logic_error);
  run.send();
  EXPECT_THROW(run.lanes.send(), std::logic_error);
  EXPECT_THROW(run.state(), std::logic_error);
  ASSERT_EQ(pool.receive(), run.lanes.id());
  EXPECT_THROW(run.lanes.send(), std::logic_error);
  EXPECT_TRUE(run.lanes.in_step());
}

}  // namespace
}  // namespace tarl::fleet
