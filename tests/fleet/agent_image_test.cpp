// SPDX-License-Identifier: MIT
#include "tarl/fleet/agent_image.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/fleet/net_tensors.h"
#include "tarl/fleet/specify.h"
#include "tarl/train/loop.h"

namespace tarl::fleet {
namespace {

// A CPU run in the middle of its life, its buffer wrapped around.
Tensors state_of_run(const train::RunConfig& config) {
  tarl::test::TemporaryFolder folder;
  Team team(1);
  store::RunLogs logs(folder.path(), {.env_id = config.env});
  train::Loop loop(config, team, logs);
  loop.run({.stop = [&] { return loop.step() >= 180; }, .progress = {}, .checkpoint = {}});
  Tensors state;
  StateWriter out(state);
  loop.save(out);
  return state;
}

train::RunConfig config_of(const std::string& algo, const std::string& env,
                           std::vector<std::string> set = {}) {
  for (const char* common :
       {"steps=200", "learning_starts=100", "train_freq=10", "eval.count=1", "buffer_size=70"}) {
    set.push_back(common);
  }
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

// Whatever the CPU saves, the fleet reads and writes back as it was: either can go on with it.
TEST(AgentImage, StateOfACpuRunComesBackToTheByte) {
  const struct {
    const char *algo, *env;
    std::vector<std::string> set;
  } cases[] = {{"dqn", "minatar/breakout", {}},
               {"ta-dqn+per", "minatar/asterix", {}},
               {"ta-ddqn+reaper", "minatar/seaquest", {}},
               {"dqn+reaper", "minatar/freeway-v0", {}},
               {"ta-dqn", "minatar/space_invaders", {"dueling=true", "policy.net_arch=[32,16]"}},
               {"dqn", "minatar/breakout", {"optimizer=adam"}},
               {"dqn", "minatar/breakout", {"rmsprop.centered=true"}}};

  for (const auto& c : cases) {
    const train::RunConfig config = config_of(c.algo, c.env, c.set);
    const AgentSpec spec = make_spec(config);
    const Tensors before = state_of_run(config);
    const AgentImage image = load_image(spec, StateReader(before, "test"));
    Tensors after;
    StateWriter out(after);
    save_image(spec, image, out);
    EXPECT_EQ(image.head.step, 180);
    EXPECT_GT(image.head.updates, 0);
    for (const auto& [name, tensor] : after) {
      const auto found = before.find(name);
      ASSERT_NE(found, before.end()) << c.algo << " " << name;
      if (name == "lane/0/result") continue;  // its padding is the CPU's own
      EXPECT_EQ(tensor.bytes, found->second.bytes) << c.algo << " " << c.env << " " << name;
      EXPECT_EQ(tensor.shape, found->second.shape) << c.algo << " " << name;
    }
    for (const auto& [name, tensor] : before) {
      const bool journals =
          name.starts_with("means/") || name.starts_with("recent_") || name.starts_with("last_");
      EXPECT_TRUE(journals || after.contains(name)) << c.algo << " lacks " << name;
    }
  }
}

// One state of a run as the fleet has it and as the CPU has it.
struct Twins {
  explicit Twins(train::RunConfig settings)
      : config(std::move(settings)),
        spec(make_spec(config)),
        logs(folder.path(), {.env_id = config.env}),
        loop(config, team, logs) {
    const Tensors state = state_of_run(config);
    image = load_image(spec, StateReader(state, "test"));
    loop.load(StateReader(state, "test"));
  }

  tarl::test::TemporaryFolder folder;
  train::RunConfig config;
  AgentSpec spec;
  AgentImage image;
  Team team{1};
  store::RunLogs logs;
  train::Loop loop;
};

TEST(AgentImage, ParametersHaveTheNamesAndShapesOfTheModelFile) {
  Twins run(config_of("dqn", "minatar/breakout"));
  const Tensors ours = to_tensors(run.spec.net, run.image.values, "q.");
  const Tensors theirs = run.loop.agent().parameters();
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, tensor] : theirs) {
    ASSERT_TRUE(ours.contains(name)) << name;
    EXPECT_EQ(ours.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(ours.at(name).bytes, tensor.bytes) << name;
  }
}

TEST(AgentImage, TransitionsAreGatheredAsTheReplayOfTheCpuDoes) {
  for (const char* algo : {"dqn", "ta-dqn+per"}) {
    Twins run(config_of(algo, "minatar/breakout"));
    const auto env = envs::registry().find(run.config.env).make(run.config.env_config, Rng{});
    rl::Sample cpu;
    cpu.batch = rl::Batch(env->spec().obs, env->spec().action, 300);
    Rng rng = seeded(1);
    run.loop.replay().sample(300, 0.5, rng, cpu);  // every slot, the newest among them
    const rl::Sample ours = sample_of(run.spec, run.image, cpu.index, cpu.weight);
    EXPECT_EQ(ours.batch.rows, 300);
    EXPECT_EQ(ours.batch.obs, cpu.batch.obs) << algo;
    EXPECT_EQ(ours.batch.next_obs, cpu.batch.next_obs) << algo;
    EXPECT_EQ(ours.batch.action_index, cpu.batch.action_index) << algo;
    EXPECT_EQ(ours.batch.reward, cpu.batch.reward) << algo;
    EXPECT_EQ(ours.batch.discount, cpu.batch.discount) << algo;
    EXPECT_EQ(ours.weight, cpu.weight);
  }
}

TEST(AgentImage, MeansTravelThereAndBack) {
  const AgentSpec spec = make_spec(config_of("ta-dqn", "minatar/breakout"));
  train::Means before, after;
  for (const double value : {0.5, 0.25}) {
    before.add(Metric::kLoss, value);
    before.add(Metric::kTargetLag, 3);
  }
  AgentHead head{};
  load_means(before, head);
  EXPECT_EQ(head.count, 2);
  store_means(spec, head, after);
  EXPECT_EQ(after.total(Metric::kLoss).sum, 0.75);
  EXPECT_EQ(after.total(Metric::kTargetLag).count, 2);
  AgentHead untouched{};
  train::Means none;
  store_means(spec, untouched, none);
  EXPECT_TRUE(none.take().empty());
}

TEST(AgentImage, ASavedReplayOfAnotherShapeIsRefused) {
  const Tensors state = state_of_run(config_of("dqn", "minatar/breakout"));
  AgentSpec other = make_spec(config_of("dqn", "minatar/breakout"));
  other.capacity = 71;
  EXPECT_THROW(load_image(other, StateReader(state, "test")), Error);
}

}  // namespace
}  // namespace tarl::fleet
