// SPDX-License-Identifier: MIT
//
// Runs that move between the CPU and a device.
#include "fleet/gpu/fleet_helpers.h"
#include "fleet/pixel_cases.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/train/loop.h"
#include "tarl/train/replay_segments.h"

namespace tarl::fleet {
namespace {

// Continues a run in its folder on the CPU, to its end or to `stop`, where it saves a checkpoint.
void work_on_cpu(const train::RunConfig& config, const fs::path& path, std::int64_t stop) {
  Team team(1);
  train::RunFolder folder(path, config, {});
  train::Loop loop(config, team, folder.logs());
  folder.open();
  if (const auto found = folder.restore()) {
    loop.load(found->reader().group("loop"));
    train::load_replay_segments(*found, loop.replay());
  }
  const auto result = loop.run(
      {.stop = [&] { return loop.step() >= stop; },
       .progress = {},
       .checkpoint = {},
       .best =
           [&](double mean) { folder.save_best(loop.step(), loop.agent().parameters(), mean); }});
  if (result == train::LoopResult::kFinished) {
    folder.finish(loop.step(), loop.agent().parameters());
    return;
  }
  folder.checkpoint(
      loop.step(), [&](StateWriter& out) { loop.save(out); },
      train::replay_segments(loop.replay()));
}

// The replay is large enough to be saved in segments: one is sealed by the CPU, another by the
// device.
TEST(EmulatedMoves, ARunGoesFromTheCpuToADeviceAndBackToTheBit) {
  const train::RunConfig config = test::short_run(
      "ta-dqn", "minatar/breakout",
      {"steps=131300", "learning_starts=131020", "buffer_size=300000", "checkpoint.every=131100",
       "target_update_interval=20", "policy.net_arch=[16]", "eval.episodes=1"});
  const tarl::test::TemporaryFolder folder;
  const fs::path moved = folder.path() / "moved", cpu = folder.path() / "cpu";
  work_on_cpu(config, moved, 131'000);
  EXPECT_EQ(test::work(config, moved, 1), FleetRun::State::kStopped);
  EXPECT_TRUE(fs::exists(moved / "checkpoints" / "segments" / "replay_0.safetensors"));
  EXPECT_TRUE(fs::exists(moved / "checkpoints" / "segments" / "replay_1.safetensors"));
  work_on_cpu(config, moved, config.steps + 1);
  work_on_cpu(config, cpu, config.steps + 1);
  // Except progress.csv: a device sums its means in a different order.
  for (const char* file :
       {"evaluations.npz", "monitor.csv", "model.safetensors", "best_model.safetensors"}) {
    EXPECT_TRUE(test::bytes_of(moved / file) == test::bytes_of(cpu / file)) << file;
  }
}

// The same with image observations, whose replay is packed.
TEST(EmulatedMoves, ARunOnPicturesGoesThereAndBackToTheBit) {
  const train::RunConfig config = test::pixel_run(
      "ta-ddqn", 5,
      {"steps=4240", "learning_starts=4180", "buffer_size=12000", "checkpoint.every=4200",
       "train_freq=8", "replay.compress=true", "eval.count=1", "eval.episodes=1"});
  const tarl::test::TemporaryFolder folder;
  const fs::path moved = folder.path() / "moved", cpu = folder.path() / "cpu";
  work_on_cpu(config, moved, 4000);
  EXPECT_EQ(test::work(config, moved, 1), FleetRun::State::kStopped);
  EXPECT_TRUE(fs::exists(moved / "checkpoints" / "segments" / "replay_0.safetensors"));
  work_on_cpu(config, moved, config.steps + 1);
  work_on_cpu(config, cpu, config.steps + 1);
  for (const char* file : {"evaluations.npz", "monitor.csv", "progress.csv", "model.safetensors",
                           "best_model.safetensors"}) {
    EXPECT_TRUE(test::bytes_of(moved / file) == test::bytes_of(cpu / file)) << file;
  }
}

// Random draws for a score do not depend on the device that makes them.
TEST(EmulatedMoves, OtherScoresAndRulesGoThereAndBackToTheBit) {
  const std::vector<std::string> cases[] = {{"align.score=random"},
                                            {"align.terminals=exempt"},
                                            {"align.terminals=match", "align.terminal_share=0.3"}};
  for (const std::vector<std::string>& more : cases) {
    std::vector<std::string> set = {"steps=160",
                                    "learning_starts=40",
                                    "buffer_size=100",
                                    "target_update_interval=20",
                                    "policy.net_arch=[16]",
                                    "eval.episodes=1",
                                    "checkpoint.every=110"};
    set.insert(set.end(), more.begin(), more.end());
    const train::RunConfig config = test::short_run("ta-dqn", "minatar/breakout", set);
    const tarl::test::TemporaryFolder folder;
    const fs::path moved = folder.path() / "moved", cpu = folder.path() / "cpu";
    work_on_cpu(config, moved, 70);
    EXPECT_EQ(test::work(config, moved, 1), FleetRun::State::kStopped) << more.back();
    work_on_cpu(config, moved, config.steps + 1);
    work_on_cpu(config, cpu, config.steps + 1);
    EXPECT_TRUE(test::bytes_of(moved / "model.safetensors") ==
                test::bytes_of(cpu / "model.safetensors"))
        << more.back();
  }
}

}  // namespace
}  // namespace tarl::fleet
