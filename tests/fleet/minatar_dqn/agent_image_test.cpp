// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/agent_image.h"

#include <map>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/fleet/minatar_dqn/specify.h"
#include "tarl/train/loop.h"

namespace tarl::fleet {
namespace {

// The contents of a checkpoint: the state, and the replay's sealed segments by number.
struct Saved {
  Tensors state;
  std::map<std::int64_t, Tensors> segments;
};

void save_segments(const rl::SegmentedRows& replay, Saved& saved) {
  const rl::SegmentRange sealed = replay.sealed();
  for (std::int64_t segment = sealed.first; segment < sealed.last; ++segment) {
    StateWriter out(saved.segments[segment]);
    replay.save_segment(segment, out);
  }
}

void load_segments(const Saved& saved, rl::SegmentedRows& replay) {
  for (const auto& [number, segment] : saved.segments)
    replay.load_segment(StateReader(segment, "test"));
}

// A run on the CPU.
struct CpuRun {
  explicit CpuRun(const train::RunConfig& settings)
      : config(settings), logs(folder.path(), {.env_id = config.env}), loop(config, team, logs) {}

  Saved saved() {
    Saved out;
    StateWriter writer(out.state);
    loop.save(writer);
    save_segments(loop.replay(), out);
    return out;
  }

  void load(const Saved& from) {
    loop.load(StateReader(from.state, "test"));
    load_segments(from, loop.replay());
  }

  tarl::test::TemporaryFolder folder;
  train::RunConfig config;
  Team team{1};
  store::RunLogs logs;
  train::Loop loop;
};

// A run in progress whose buffer has wrapped around.
Saved state_of_run(const train::RunConfig& config, std::int64_t step = 180) {
  CpuRun run(config);
  run.loop.run({.stop = [&] { return run.loop.step() >= step; }, .progress = {}, .checkpoint = {}});
  return run.saved();
}

AgentImage image_of(const AgentSpec& spec, const Saved& saved) {
  AgentImage image = load_image(spec, StateReader(saved.state, "test"));
  load_segments(saved, image.storage);
  return image;
}

// The recorder's part is saved separately.
bool is_recorders(const std::string& name) {
  return name.starts_with("means/") || name.starts_with("recent_") || name.starts_with("last_");
}

void expect_equal(const Tensors& ours, const Tensors& theirs, const std::string& what) {
  for (const auto& [name, tensor] : theirs) {
    const auto found = ours.find(name);
    ASSERT_TRUE(found != ours.end() || is_recorders(name)) << what << " lacks " << name;
    if (is_recorders(name)) continue;
    EXPECT_TRUE(found->second.bytes == tensor.bytes) << what << " " << name;
    EXPECT_EQ(found->second.shape, tensor.shape) << what << " " << name;
  }
  for (const auto& [name, tensor] : ours) EXPECT_TRUE(theirs.contains(name)) << what << " " << name;
}

train::RunConfig config_of(const std::string& algo, const std::string& env,
                           std::vector<std::string> set = {}) {
  for (const char* common :
       {"steps=200", "learning_starts=100", "train_freq=10", "eval.count=1", "buffer_size=70"}) {
    set.push_back(common);
  }
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

// The fleet reads what the CPU saves and writes back the same bytes, so either can resume the run.
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
    const Saved before = state_of_run(config);
    const AgentImage image = image_of(spec, before);
    Tensors after;
    StateWriter out(after);
    save_image(spec, image, out);
    EXPECT_EQ(image.state.step, 180);
    EXPECT_GT(image.state.updates, 0);
    expect_equal(after, before.state, std::string(c.algo) + " " + c.env);
  }
}

// Buffers of 16 MB and more are saved in segments; here several are complete and one is partly
// dropped.
TEST(AgentImage, BuffersInSegmentsComeBackToTheByteOnEitherSide) {
  for (const char* algo : {"dqn", "dqn+per", "dqn+reaper"}) {
    const train::RunConfig config =
        train::resolve({.algo = algo,
                        .env = "minatar/breakout",
                        .set = {"steps=400000", "learning_starts=330000", "train_freq=10",
                                "eval.count=1", "buffer_size=260000"}});
    const AgentSpec spec = make_spec(config);
    const Saved before = state_of_run(config, 330'050);
    ASSERT_GE(before.segments.size(), 3U);
    ASSERT_GT(before.segments.begin()->first, 0);  // the oldest are gone

    const AgentImage image = image_of(spec, before);
    EXPECT_GT(image.state.updates, 0);
    Saved fleet;
    StateWriter out(fleet.state);
    save_image(spec, image, out);
    save_segments(image.storage, fleet);
    expect_equal(fleet.state, before.state, algo);
    ASSERT_EQ(fleet.segments.size(), before.segments.size());
    for (const auto& [number, segment] : before.segments) {
      expect_equal(fleet.segments.at(number), segment, "segment " + std::to_string(number));
    }

    for (const auto& [name, tensor] : before.state) {
      if (is_recorders(name)) fleet.state[name] = tensor;
    }
    CpuRun again(config);
    again.load(fleet);
    const Saved after = again.saved();
    expect_equal(after.state, before.state, algo);
    EXPECT_EQ(after.segments.size(), before.segments.size());
  }
}

// The same state of a run, on the fleet and on the CPU.
struct Twins {
  explicit Twins(const train::RunConfig& config)
      : spec(make_spec(config)),
        saved(state_of_run(config)),
        image(image_of(spec, saved)),
        cpu(config) {
    cpu.load(saved);
  }

  AgentSpec spec;
  Saved saved;
  AgentImage image;
  CpuRun cpu;
};

TEST(AgentImage, ParametersHaveTheNamesAndShapesOfTheModelFile) {
  Twins run(config_of("dqn", "minatar/breakout"));
  const Tensors ours = parameters_of(run.spec, run.image);
  const Tensors theirs = run.cpu.loop.agent().parameters();
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
    const auto env =
        envs::registry().find(run.cpu.config.env).make(run.cpu.config.env_config, Rng{});
    rl::Sample cpu;
    cpu.batch = rl::Batch(env->spec().obs, env->spec().action, 300);
    Rng rng = seeded(1);
    run.cpu.loop.replay().sample(300, 0.5, rng, cpu);  // every slot, including the newest
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
  AgentState state{};
  load_means(before, state);
  EXPECT_EQ(state.count, 2);
  store_means(spec, state, after);
  EXPECT_EQ(after.total(Metric::kLoss).sum, 0.75);
  EXPECT_EQ(after.total(Metric::kTargetLag).count, 2);
  AgentState untouched{};
  train::Means none;
  store_means(spec, untouched, none);
  EXPECT_TRUE(none.take().empty());
}

TEST(AgentImage, ASavedReplayOfAnotherShapeIsRefused) {
  const Saved saved = state_of_run(config_of("dqn", "minatar/breakout"));
  AgentSpec other = make_spec(config_of("dqn", "minatar/breakout"));
  other.capacity = 71;
  EXPECT_THROW(image_of(other, saved), Error);
}

}  // namespace
}  // namespace tarl::fleet
