// SPDX-License-Identifier: MIT
#include "tarl/train/loop.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

namespace tarl::train {
namespace {

struct Stage {
  explicit Stage(std::vector<std::string> set, int threads = 1,
                 std::string env = "classic/cartpole", std::string algo = "ta-dqn")
      : config(resolve({.algo = std::move(algo), .env = std::move(env), .set = std::move(set)})),
        team(threads),
        logs(folder.path(), {.env_id = config.env}),
        loop(config, team, logs) {}

  // Runs until `step` steps are made.
  void run_to(std::int64_t step) {
    loop.run(
        {.stop = [this, step] { return loop.step() >= step; }, .progress = {}, .checkpoint = {}});
  }

  Tensors state() {
    Tensors tensors;
    StateWriter out(tensors);
    loop.save(out);
    return tensors;
  }

  test::TemporaryFolder folder;
  RunConfig config;
  Team team;
  store::RunLogs logs;
  Loop loop;
};

bool same(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, tensor] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.bytes != tensor.bytes) {
      ADD_FAILURE() << name << " differs";
      return false;
    }
  }
  return true;
}

const std::vector<std::string> kSmall = {"steps=1000", "learning_starts=50", "eval.count=4",
                                         "target_update_interval=100", "batch_size=8"};

TEST(Loop, FirstUpdateComesAtTheFirstTrainingStepAfterWarmUp) {
  Stage stage({"steps=1000", "learning_starts=50", "train_freq=4", "eval.count=1"});
  stage.run_to(51);
  EXPECT_EQ(stage.loop.learner().updates(), 0);
  stage.run_to(52);
  EXPECT_EQ(stage.loop.learner().updates(), 1);
  stage.run_to(60);
  EXPECT_EQ(stage.loop.learner().updates(), 3);
}

TEST(Loop, ContinuesExactlyFromASavedState) {
  for (const char* algo : {"dqn", "ta-dqn+per", "ta-ddqn+reaper"}) {
    Stage whole(kSmall, 1, "minatar/breakout", algo), first(kSmall, 1, "minatar/breakout", algo),
        second(kSmall, 1, "minatar/breakout", algo);
    whole.run_to(700);
    first.run_to(333);
    const Tensors saved = first.state();
    second.loop.load(StateReader(saved, "test"));
    second.run_to(700);
    EXPECT_TRUE(same(whole.state(), second.state())) << algo;
  }
}

TEST(Loop, LanesGiveTheSameRunForAnyNumberOfThreads) {
  std::vector<std::string> set = kSmall;
  set.push_back("n_envs=3");
  Stage one(set, 1, "minatar/asterix"), two(set, 2, "minatar/asterix");
  one.run_to(600);
  two.run_to(600);
  EXPECT_EQ(one.loop.step(), 600);
  EXPECT_TRUE(same(one.state(), two.state()));
}

TEST(Loop, AnEvaluationThatWasStoppedIsMadeAgainAfterLoading) {
  Stage whole(kSmall), broken(kSmall), resumed(kSmall);
  whole.run_to(400);
  // The evaluation at step 250 polls `stop` at each of its steps; let it get a little way.
  int polls_at_250 = 0;
  const LoopResult result =
      broken.loop.run({.stop = [&] { return broken.loop.step() == 250 && ++polls_at_250 > 3; },
                       .progress = {},
                       .checkpoint = {}});
  EXPECT_EQ(result, LoopResult::kStopped);
  EXPECT_EQ(broken.loop.step(), 250);
  const Tensors saved = broken.state();
  resumed.loop.load(StateReader(saved, "test"));
  resumed.run_to(400);
  EXPECT_TRUE(same(whole.state(), resumed.state()));
}

TEST(Loop, EvaluatingMoreOftenDoesNotChangeTheCurve) {
  Stage rare({"steps=1000", "learning_starts=50", "eval.count=1"}),
      often({"steps=1000", "learning_starts=50", "eval.count=50", "eval.episodes=2"});
  // Not a step at which an evaluation is due: the stop would fall into it.
  rare.run_to(605);
  often.run_to(605);
  const Tensors a = rare.state(), b = often.state();
  for (const auto& [name, tensor] : a) {
    if (!name.starts_with("agent/") && !name.starts_with("replay/")) continue;
    EXPECT_TRUE(tensor.bytes == b.at(name).bytes) << name;
  }
}

}  // namespace
}  // namespace tarl::train
