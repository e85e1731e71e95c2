// SPDX-License-Identifier: MIT
//
// Compares single runs on the device with runs on the CPU.
#include "tarl/fleet/device_training.h"

#include "fleet/actor_critic_cases.h"
#include "fleet/gpu/fleet_helpers.h"
#include "fleet/pixel_cases.h"
#include "support/errors.h"

namespace tarl::fleet {
namespace {

void expect_same_files(const fs::path& ours, const fs::path& theirs) {
  for (const char* file : {"evaluations.npz", "monitor.csv", "progress.csv", "model.safetensors",
                           "best_model.safetensors"}) {
    EXPECT_EQ(test::bytes_of(ours / file), test::bytes_of(theirs / file)) << file;
  }
}

// Stops and resumes the run at arbitrary steps.
void expect_the_files_of_the_cpu(const train::RunConfig& config) {
  const tarl::test::TemporaryFolder folder;
  train::run_training({.config = config, .folder = folder.path() / "cpu"});
  bool stop = false;
  std::int64_t shown = 0;
  train::RunRequest request{.config = config, .folder = folder.path() / "cuda"};
  request.stop = [&] { return stop; };
  request.progress = [&](const train::Progress& progress) {
    shown = progress.step;
    stop = shown >= 40;
  };
  const train::RunOutcome first = train_on_device(request);
  EXPECT_EQ(first.end, train::RunEnd::kStopped);
  EXPECT_LT(first.step, config.steps);
  request.resume = true;
  request.stop = {};
  const train::RunOutcome second = train_on_device(request);
  EXPECT_EQ(second.end, train::RunEnd::kFinished);
  EXPECT_EQ(second.step, config.steps);
  expect_same_files(folder.path() / "cuda", folder.path() / "cpu");
  EXPECT_EQ(train_on_device(request).end, train::RunEnd::kAlreadyFinished);
}

TEST(EmulatedDeviceTraining, MakesTheFilesOfTheCpu) {
  expect_the_files_of_the_cpu(
      test::actor_critic_run("ta-sac", "classic/pendulum", 3, {"checkpoint.every=40"}));
  expect_the_files_of_the_cpu(test::pixel_run(
      "ta-ddqn", 3,
      {"checkpoint.every=40", "steps=90", "schedule.steps=180", "replay.compress=true"}));
}

TEST(EmulatedDeviceTraining, RefusesBeforeAnythingIsOnDisk) {
  const tarl::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  const train::RunConfig config =
      test::actor_critic_run("sac", "classic/pendulum", 3, {"replay.kind=per"});
  const std::string problem =
      tarl::test::error_of([&] { train_on_device({.config = config, .folder = path}); });
  EXPECT_NE(problem.find("a fleet has no replay.kind = per; leave --device cuda out"),
            std::string::npos)
      << problem;
  EXPECT_FALSE(fs::exists(path));
}

// The emulated device has 1 GiB of memory.
TEST(EmulatedDeviceTraining, RefusesWhatDoesNotFitBeforeAnythingIsOnDisk) {
  const tarl::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  const train::RunConfig config = test::pixel_run("dqn", 3, {"buffer_size=1000000"});
  const std::string problem =
      tarl::test::error_of([&] { train_on_device({.config = config, .folder = path}); });
  EXPECT_NE(problem.find("1 run at a time would need about 1.7 GB of GPU memory"),
            std::string::npos)
      << problem;
  EXPECT_FALSE(fs::exists(path));
}

TEST(EmulatedDeviceTraining, RefusesAGameWithoutItsRomBeforeAnythingIsOnDisk) {
  if (!kAleBuilt) GTEST_SKIP() << "ALE is not in this build";
  const tarl::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  const train::RunConfig config = test::pixel_run(
      "dqn", 3, {"environment.rom_dir=" + (folder.path() / "no_roms").string()}, "atari/pong");
  const std::string problem =
      tarl::test::error_of([&] { train_on_device({.config = config, .folder = path}); });
  EXPECT_NE(problem.find("no_roms"), std::string::npos) << problem;
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace tarl::fleet
