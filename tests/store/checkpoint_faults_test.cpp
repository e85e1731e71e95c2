// SPDX-License-Identifier: MIT
#include <csignal>

#include "store/checkpoint_examples.h"
#include "support/errors.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tarl/core/rng.h"
#include "tarl/store/checkpoint.h"

namespace tarl::store {

namespace {

using test::error_of;
using test::TemporaryFolder;

std::int64_t newest_step(const fs::path& folder) {
  std::vector<std::string> problems;
  const auto loaded = CheckpointStore(folder).load_newest(problems);
  EXPECT_TRUE(problems.empty()) << problems.front();
  if (!loaded) return -1;
  EXPECT_TRUE(same(loaded->state, state_of(loaded->step, 20'000)));
  return loaded->step;
}

TEST(CheckpointFaults, AWriteThatFailsLeavesTheOlderGenerations) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100, 20'000));
  store.save(200, state_of(200, 20'000));
  for (const rlim_t limit : {0, 1, 100, 50'000}) {
    const test::FileSizeLimit full(limit);
    const std::string problem = error_of([&] { store.save(300, state_of(300, 20'000)); });
    EXPECT_NE(problem.find("state.safetensors: File too large"), std::string::npos) << problem;
    EXPECT_EQ(names(folder.path()),
              (std::vector<std::string>{"step_000000000100", "step_000000000200"}));
    EXPECT_EQ(newest_step(folder.path()), 200);
  }
  store.save(300, state_of(300, 20'000));
  EXPECT_EQ(newest_step(folder.path()), 300);
}

TEST(CheckpointFaults, AFullDiskLosesNothingAndIsSurvivedOnceThereIsSpace) {
  const TemporaryFolder folder;
  const test::SmallDisk disk(folder.path(), "256k");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  CheckpointStore store(folder / "checkpoints");
  store.save(100, state_of(100, 20'000));
  store.save(200, state_of(200, 20'000));
  write_file_durably(folder / "ballast", std::string(50'000, 'x'));
  const std::string problem = error_of([&] { store.save(300, state_of(300, 20'000)); });
  EXPECT_NE(problem.find("No space left on device; free some space"), std::string::npos) << problem;
  EXPECT_EQ(newest_step(folder / "checkpoints"), 200);
  fs::remove(folder / "ballast");
  store.save(300, state_of(300, 20'000));
  EXPECT_EQ(newest_step(folder / "checkpoints"), 300);
}

// Saves endlessly until it is killed, writing a byte to `told` after every save.
[[noreturn]] void save_for_ever(const fs::path& folder, std::int64_t step, int told) {
  CheckpointStore store(folder);
  for (;; step += 100) {
    for (int twice = 0; twice < 2; ++twice) {
      store.save(step, state_of(step, 20'000));
      if (::write(told, "s", 1) != 1) ::_exit(1);
    }
  }
}

TEST(CheckpointFaults, AKillAtAnyInstantLeavesACompleteGeneration) {
  const TemporaryFolder folder;
  CheckpointStore(folder.path()).save(0, state_of(0, 20'000));
  Rng rng = seeded(1);
  std::int64_t step = 0;
  for (int kill = 0; kill < 40; ++kill) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) save_for_ever(folder.path(), step + 100, told[1]);
    ::close(told[1]);
    char saved = 0;
    for (int saves = 1 + static_cast<int>(rng.below(3)); saves > 0; --saves) {
      EXPECT_EQ(::read(told[0], &saved, 1), 1) << "it ended by itself";
    }
    ::usleep(rng.below(2'000));  // into the save after these, or one more
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(told[0]);
    const std::int64_t found = newest_step(folder.path());
    ASSERT_GT(found, step) << "a generation that was there is gone";
    step = found;
  }
  CheckpointStore(folder.path()).save(step + 100, state_of(step + 100, 20'000));
  EXPECT_EQ(names(folder.path()).size(), 2U) << "leftovers were not swept up";
}

}  // namespace

}  // namespace tarl::store
