// SPDX-License-Identifier: MIT
#include "tarl/train/replay_segments.h"

#include <set>

#include "store/checkpoint_examples.h"
#include "support/errors.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"
#include "train/wide_env.h"
#include <gtest/gtest.h>

#include "tarl/train/run.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

constexpr std::int64_t kBuffer = 1200, kEvery = 700;  // segments have 512 rows

RunRequest request_for(const std::string& algo, const fs::path& folder, bool resume = false,
                       bool keep = false) {
  test::add_wide_env();
  RunRequest request;
  request.config =
      resolve({.algo = algo,
               .env = "test/wide",
               .set = {"steps=4000", "buffer_size=" + std::to_string(kBuffer),
                       "checkpoint.every=" + std::to_string(kEvery), "learning_starts=100",
                       "target_update_interval=300", "policy.net_arch=[8]", "eval.count=4",
                       "eval.episodes=1", "n_envs=2", "train_freq=32", "batch_size=8"}});
  request.config.checkpoint.keep = keep;
  request.folder = folder;
  request.resume = resume;
  return request;
}

// What a kill at this moment would leave.
void copy_run(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive);
  fs::remove(to / "lock");
}

// A whole run, and copies of its folder at the given steps (multiples of 128).
struct Reference {
  Reference(const std::string& algo, const std::set<std::int64_t>& steps) {
    RunRequest request = request_for(algo, folder / "whole");
    request.progress = [&](const Progress& progress) {
      if (steps.contains(progress.step)) copy_run(folder / "whole", copy(progress.step));
    };
    run_training(request);
  }

  fs::path copy(std::int64_t step) const { return folder / std::to_string(step); }

  void expect_same_end(const fs::path& other) const {
    for (const char* file :
         {"model.safetensors", "evaluations.npz", "progress.csv", "monitor.csv"}) {
      EXPECT_EQ(read_text(folder / "whole" / file), read_text(other / file)) << file;
    }
  }

  TemporaryFolder folder;
};

class ReplaySegments : public testing::TestWithParam<const char*> {};

TEST_P(ReplaySegments, ARunKilledAnywhereContinuesToTheBit) {
  // Before and after checkpoints at multiples of 700, with the ring of 1200 rows filling and full.
  const std::set<std::int64_t> steps = {640, 768, 1408, 2176, 2688, 3968};
  const Reference reference(GetParam(), steps);
  for (const std::int64_t step : steps) {
    run_training(request_for(GetParam(), reference.copy(step), true));
    reference.expect_same_end(reference.copy(step));
  }
}

INSTANTIATE_TEST_SUITE_P(Replays, ReplaySegments,
                         testing::Values("dqn", "ta-dqn+per", "ta-dqn+reaper"));

std::vector<std::string> segments_of(const fs::path& run) {
  return store::names(run / "checkpoints/segments");
}

TEST(ReplaySegments, SegmentsAreWrittenAsTheyFillAndGoWhenNobodyNeedsThem) {
  const Reference reference("dqn", {640, 1280, 3968});
  EXPECT_EQ(segments_of(reference.copy(640)), (std::vector<std::string>{"replay_0.safetensors"}));
  EXPECT_FALSE(fs::exists(reference.copy(640) / "checkpoints/step_000000000700"));
  EXPECT_EQ(segments_of(reference.copy(1280)),
            (std::vector<std::string>{"replay_0.safetensors", "replay_1.safetensors"}));
  // Checkpoints 2800 and 3500 hold rows from 1600 and from 2300 on, the ring those from 2768 on.
  EXPECT_EQ(segments_of(reference.copy(3968)),
            (std::vector<std::string>{"replay_3.safetensors", "replay_4.safetensors",
                                      "replay_5.safetensors", "replay_6.safetensors"}));
  EXPECT_FALSE(fs::exists(reference.folder / "whole/checkpoints"));
  // Kept to the end: checkpoints 3500 and 4000.
  const fs::path kept = reference.copy(640);
  run_training(request_for("dqn", kept, true, true));
  EXPECT_EQ(segments_of(kept),
            (std::vector<std::string>{"replay_4.safetensors", "replay_5.safetensors",
                                      "replay_6.safetensors"}));
  reference.expect_same_end(kept);
}

void flip_byte(const fs::path& path) {
  std::vector<std::byte> bytes = read_file(path);
  bytes[bytes.size() / 2] ^= std::byte{4};
  write_file_durably(path, bytes);
}

TEST(ReplaySegments, DamageToTheNewestCheckpointOrItsSegmentIsSurvived) {
  const Reference reference("ta-dqn+per", {2176});
  // Checkpoint 2100 alone names segment 3; 1400 has up to segment 1.
  for (const char* file :
       {"step_000000002100/state.safetensors", "segments/replay_3.safetensors"}) {
    const fs::path damaged = reference.folder / "damaged";
    fs::remove_all(damaged);
    copy_run(reference.copy(2176), damaged);
    flip_byte(damaged / "checkpoints" / file);
    RunRequest request = request_for("ta-dqn+per", damaged, true);
    std::string notice;
    request.notice = [&](const std::string& line) { notice += line; };
    run_training(request);
    EXPECT_NE(notice.find(file), std::string::npos) << notice;
    reference.expect_same_end(damaged);
  }
}

TEST(ReplaySegments, ADamagedSegmentThatBothCheckpointsNeedIsMended) {
  const Reference reference("dqn", {1920});
  const fs::path damaged = reference.copy(1920);
  flip_byte(damaged / "checkpoints/segments/replay_0.safetensors");
  RunRequest request = request_for("dqn", damaged, true);
  std::string notice;
  request.notice = [&](const std::string& line) { notice += line; };
  run_training(request);
  EXPECT_NE(notice.find("replay_0.safetensors: damaged"), std::string::npos) << notice;
  EXPECT_NE(notice.find("mended"), std::string::npos) << notice;
  reference.expect_same_end(damaged);
}

TEST(ReplaySegments, NothingIsOverwrittenWhenEveryCheckpointIsDamaged) {
  const Reference reference("dqn", {1920});
  const fs::path damaged = reference.copy(1920);
  flip_byte(damaged / "checkpoints/segments/replay_0.safetensors");
  fs::remove_all(damaged / "checkpoints/repair");
  const auto before = store::names(damaged / "checkpoints");
  const std::string problem = error_of([&] { run_training(request_for("dqn", damaged, true)); });
  EXPECT_NE(problem.find("every checkpoint in"), std::string::npos) << problem;
  EXPECT_EQ(store::names(damaged / "checkpoints"), before);
}

TEST(ReplaySegments, AFullDiskIsNamedAndTheRunGoesOnOnceThereIsSpace) {
  const Reference reference("ta-dqn+per", {});
  const TemporaryFolder folder;
  const test::SmallDisk disk(folder.path(), "14m");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  const std::string problem =
      error_of([&] { run_training(request_for("ta-dqn+per", folder / "run")); });
  EXPECT_NE(problem.find("segments/tmp-replay_"), std::string::npos) << problem;
  EXPECT_NE(problem.find("No space left on device; free some space"), std::string::npos) << problem;
  std::vector<std::string> problems;
  EXPECT_GE(store::CheckpointStore(folder / "run/checkpoints").load_newest(problems).value().step,
            kEvery);
  EXPECT_TRUE(problems.empty());
  copy_run(folder / "run", reference.folder / "elsewhere");
  run_training(request_for("ta-dqn+per", reference.folder / "elsewhere", true));
  reference.expect_same_end(reference.folder / "elsewhere");
}

}  // namespace
}  // namespace tarl::train
