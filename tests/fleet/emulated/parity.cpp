// SPDX-License-Identifier: MIT
//
// Compares the f32 kernel with the CPU's loop.
#include <tuple>

#include "fleet/gpu/first_split.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

std::vector<std::string> brief(std::vector<std::string> set = {}) {
  set.insert(set.begin(),
             {"steps=70", "learning_starts=40", "buffer_size=50", "target_update_interval=15"});
  return set;
}

TEST(EmulatedParity, F32DrawsAndKeepsWhatTheCpuDoes) {
  const test::Case cases[] = {
      {"dqn", "minatar/breakout", {}},
      {"ta-ddqn", "minatar/seaquest", {}},
      {"dqn+per", "minatar/seaquest", {}},
      {"ta-ddqn+per", "minatar/breakout", {"replay.draw=stratified", "align.mode=scale"}},
      {"dqn+reaper", "minatar/breakout", {}},
      {"ta-ddqn+reaper", "minatar/asterix", {}},
      {"dqn", "minatar/breakout", {"align.mode=prioritize"}},
      {"ddqn", "minatar/asterix", {"align.mode=prioritize", "align.kappa=2", "tau=0.4"}},
      {"dqn",
       "minatar/breakout",
       {"align.mode=prioritize", "align.score=random", "replay.draw=stratified"}},
      {"ta-dqn", "minatar/freeway", {"policy.net_arch=[64,32]", "dueling=true", "tau=0.3"}},
      // Sizes that do not fill a tile, or that exceed one.
      {"ta-dqn", "minatar/space_invaders", {"policy.net_arch=[50,30]", "batch_size=40"}},
      {"ddqn", "minatar/asterix", {"policy.net_arch=[200]", "batch_size=7", "optimizer=adam"}}};
  for (const test::Case& c : cases) {
    std::string what;
    double distance = 0;
    const std::int64_t split =
        test::first_split(test::short_run(c.algo, c.env, brief(c.set)), what, distance);
    EXPECT_EQ(split, 0) << test::name_of(c) << ": " << what;
    EXPECT_LT(distance, 1e-5) << test::name_of(c);
  }
}

template <class Values>
void expect_near(const Values& ours, const Values& theirs, const std::string& what) {
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], theirs[i], 1e-6 * std::max(1.0, std::fabs(theirs[i]))) << what << " " << i;
  }
}

void expect_same_priorities(const AgentImage& ours, const AgentImage& theirs,
                            const std::string& what) {
  const AgentState &a = ours.state, &b = theirs.state;
  EXPECT_EQ(std::tie(a.stored, a.running, a.episodes, a.entries, a.free_entries),
            std::tie(b.stored, b.running, b.episodes, b.entries, b.free_entries))
      << what;
  EXPECT_TRUE(test::same_rows(ours.storage, theirs.storage)) << what;
  const replay::ReaperState &our = ours.reaper, &their = theirs.reaper;
  EXPECT_EQ(our.entry, their.entry) << what;
  EXPECT_EQ(our.free_entries, their.free_entries) << what;
  expect_near(our.td, their.td, what + " td");
  expect_near(our.sum, their.sum, what + " S");
  expect_near(our.group_weight, their.group_weight, what + " weights");
  for (std::size_t i = 0; i < their.episode.size(); ++i) {
    const replay::ReaperEpisode &own = our.episode[i], &other = their.episode[i];
    EXPECT_EQ(std::tie(own.start, own.end, own.finished, own.recomputed_end),
              std::tie(other.start, other.end, other.finished, other.recomputed_end))
        << what << " episode " << i;
  }
}

// Unlike above, steps within a slice know from the previous step whether an action may end the
// episode. The buffer wraps around, episodes end, and steps are played beside the update or not.
TEST(EmulatedParity, ReaperKeepsThePrioritiesOfTheCpu) {
  const test::Case cases[] = {
      {"dqn+reaper", "minatar/breakout", {}},
      {"ta-dqn+reaper", "minatar/space_invaders", {"train_freq=2"}},
      {"dqn+reaper", "minatar/asterix", {"gradient_steps=2", "steps=340"}},
      {"ta-ddqn+reaper", "minatar/seaquest", {"environment.sticky_actions=0.5"}}};
  int beside = 0, alone = 0;
  for (const test::Case& c : cases) {
    std::vector<std::string> set = {"steps=440",
                                    "learning_starts=290",
                                    "buffer_size=300",
                                    "target_update_interval=20",
                                    "exploration_fraction=0.01",
                                    "policy.net_arch=[32]"};
    set.insert(set.end(), c.set.begin(), c.set.end());
    const train::RunConfig config = test::short_run(c.algo, c.env, set);
    const AgentSpec spec = make_spec(config);
    test::CpuRun cpu(config);
    const auto device = test::new_device_agent(config, true);
    for (std::int64_t step = 296; step < config.steps; step += 16) {
      cpu.run_to(step);
      test::advance(*device, step);
      const Tensors state = cpu.state();
      expect_same_priorities(device->download(), load_image(spec, StateReader(state, "cpu")),
                             test::name_of(c) + " step " + std::to_string(step));
      (device->last_update().act_q.empty() ? alone : beside) += 1;
    }
    EXPECT_GT(device->state().episodes, 3) << test::name_of(c);
  }
  std::printf("%d acted beside, %d not\n", beside, alone);
  EXPECT_GT(beside, 9);
  EXPECT_GT(alone, 9);
}

// Continues a run of the CPU, with trees of several levels and with episodes that cover more groups
// than a block has threads.
TEST(EmulatedParity, BigBuffersOfTheCpuGoOn) {
  const test::Case cases[] = {{"dqn+reaper", "minatar/freeway", {}},
                              {"ta-dqn+reaper", "minatar/breakout", {}},
                              {"dqn+per", "minatar/asterix", {}},
                              {"dqn", "minatar/asterix", {"align.mode=prioritize"}}};
  for (const test::Case& c : cases) {
    std::vector<std::string> set = {"steps=40200", "learning_starts=40020", "buffer_size=40010",
                                    "target_update_interval=30", "policy.net_arch=[32]"};
    set.insert(set.end(), c.set.begin(), c.set.end());
    const train::RunConfig config = test::short_run(c.algo, c.env, set);
    const AgentSpec spec = make_spec(config);
    test::CpuRun cpu(config);
    cpu.run_to(40000);
    const Tensors start = cpu.state();
    const auto device = make_device_agent(spec, load_image(spec, StateReader(start, "cpu")),
                                          {.eval_keys = evaluation_keys(config), .record = true});
    for (const std::int64_t step : {40021, 40023, 40070}) {
      cpu.run_to(step);
      test::advance(*device, step);
      const Tensors state = cpu.state();
      const AgentImage ours = device->download(),
                       theirs = load_image(spec, StateReader(state, "c"));
      const std::string what = test::name_of(c) + " step " + std::to_string(step);
      EXPECT_EQ(device->last_update().index, cpu.loop.learner().last_sample().index) << what;
      expect_same_priorities(ours, theirs, what);
      expect_near(ours.per.priority, theirs.per.priority, what + " priorities");
      expect_near(ours.per.weight, theirs.per.weight, what + " weights");
      expect_near(ours.alignment.weight, theirs.alignment.weight, what + " weights by score");
    }
  }
}

}  // namespace
}  // namespace tarl::fleet
