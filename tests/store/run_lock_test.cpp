// SPDX-License-Identifier: MIT
#include "tarl/store/run_lock.h"

#include <csignal>
#include <cstdlib>
#include <memory>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tarl/core/formats/json.h"

namespace tarl::store {

namespace {

using test::error_of;
using test::TemporaryFolder;

std::string problem_of(const TemporaryFolder& folder) {
  return error_of([&] { const RunLock lock(folder.path()); });
}

// The content of a lock file held by this process, with some fields changed.
void write_lock(const TemporaryFolder& folder, const Json& changes) {
  Json content;
  {
    const RunLock lock(folder.path());
    content = parse_json(read_text(folder / "lock"));
  }
  content.update(changes);
  write_file_durably(folder / "lock", json_line(content));
}

// A process that holds the lock until it is killed.
pid_t hold_lock(const TemporaryFolder& folder) {
  int ready[2];
  if (::pipe(ready) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    const RunLock lock(folder.path());
    const char done = 1;
    if (::write(ready[1], &done, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char done = 0;
  if (::read(ready[0], &done, 1) != 1) std::abort();
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

void end(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(RunLock, SaysWhoHoldsTheFolderAndGoesWithItsHolder) {
  const TemporaryFolder folder;
  {
    const RunLock lock(folder.path());
    const auto content = parse_json(read_text(folder / "lock"));
    EXPECT_EQ(content.at("pid"), ::getpid());
    EXPECT_FALSE(content.at("host").get<std::string>().empty());
    EXPECT_NE(problem_of(folder), "");
  }
  EXPECT_FALSE(fs::exists(folder / "lock"));
  EXPECT_EQ(problem_of(folder), "");
}

TEST(RunLock, ASecondProcessIsRefusedByName) {
  const TemporaryFolder folder;
  const pid_t child = hold_lock(folder);
  const std::string problem = problem_of(folder);
  EXPECT_EQ(
      problem.rfind(
          folder.path().string() + " is in use by process " + std::to_string(child) + " on ", 0),
      0U)
      << problem;
  EXPECT_TRUE(test::is_one_line(problem));
  end(child);
}

TEST(RunLock, TheLockOfAKilledProcessIsTakenOver) {
  const TemporaryFolder folder;
  end(hold_lock(folder));
  EXPECT_TRUE(fs::exists(folder / "lock"));
  EXPECT_EQ(problem_of(folder), "");
}

TEST(RunLock, ATornOrEmptyLockFileIsTakenOver) {
  const TemporaryFolder folder;
  for (const std::string_view text : {"", "{\"pid\": 12", "garbage", "[]"}) {
    write_file_durably(folder / "lock", text);
    EXPECT_EQ(problem_of(folder), "") << text;
  }
}

TEST(RunLock, AnotherMachinesLockIsRefusedWithTheWayOut) {
  const TemporaryFolder folder;
  write_lock(folder, {{"host", "elsewhere"}, {"boot", "another"}, {"pid", 4321}});
  const std::string problem = problem_of(folder);
  EXPECT_NE(problem.find("process 4321 on elsewhere"), std::string::npos) << problem;
  EXPECT_NE(problem.find("remove " + (folder / "lock").string()), std::string::npos) << problem;
  fs::remove(folder / "lock");
  EXPECT_EQ(problem_of(folder), "");
}

TEST(RunLock, ALockFromBeforeARestartOfTheMachineIsTakenOver) {
  const TemporaryFolder folder;
  write_lock(folder, {{"boot", "an earlier one"}, {"pid", 1}});
  EXPECT_EQ(problem_of(folder), "");
}

// A restarted container has another host name but the same kernel, whose lock is free.
TEST(RunLock, AnotherHostNameOnTheSameKernelIsTakenOver) {
  const TemporaryFolder folder;
  write_lock(folder, {{"host", "container-1"}, {"pid", 1}});
  EXPECT_EQ(problem_of(folder), "");
}

// As on a file system without kernel locks.
TEST(RunLock, ALivingProcessIsRespectedWithoutAKernelLock) {
  const TemporaryFolder folder;
  const pid_t child = hold_lock(folder);
  const std::string content = read_text(folder / "lock");
  fs::remove(folder / "lock");
  write_file_durably(folder / "lock", content);
  EXPECT_NE(problem_of(folder).find("in use by process " + std::to_string(child)),
            std::string::npos);
  end(child);
  EXPECT_EQ(problem_of(folder), "");
}

// Ended but never waited for, as in a container whose first process reaps nobody.
TEST(RunLock, AnUnreapedProcessHoldsNothing) {
  const TemporaryFolder folder;
  const pid_t child = hold_lock(folder);
  EXPECT_TRUE(is_in_use(folder.path()));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(fs::exists("/proc/" + std::to_string(child) + "/stat"));
  EXPECT_FALSE(is_in_use(folder.path()));
  EXPECT_EQ(problem_of(folder), "");
  ::waitpid(child, nullptr, 0);
}

TEST(RunLock, NoticesThatItsFolderWasTakenAway) {
  const TemporaryFolder root;
  const fs::path folder = root / "run";
  fs::create_directory(folder);
  const auto lost = [&](const RunLock& lock) {
    const std::string problem = error_of([&] { lock.check(); });
    EXPECT_NE(problem.find(folder.string() + " was removed or replaced while"), std::string::npos)
        << problem;
  };
  auto lock = std::make_unique<RunLock>(folder);
  EXPECT_EQ(error_of([&] { lock->check(); }), "");
  fs::rename(folder, root / "moved");
  lost(*lock);
  fs::create_directory(folder);
  lost(*lock);
  auto other = std::make_unique<RunLock>(folder);  // another run, in the old one's place
  lost(*lock);
  EXPECT_EQ(error_of([&] { other->check(); }), "");
  lock.reset();
  EXPECT_TRUE(fs::exists(folder / "lock"));  // the other run's
  EXPECT_EQ(error_of([&] { other->check(); }), "");
  EXPECT_TRUE(fs::exists(root / "moved/lock"));
  other.reset();
  EXPECT_FALSE(fs::exists(folder / "lock"));
}

TEST(RunLock, AFolderReachedThroughASymlinkIsHeldUntilTheSymlinkLeadsElsewhere) {
  const TemporaryFolder root;
  fs::create_directory(root / "one");
  fs::create_directory(root / "two");
  fs::create_directory_symlink(root / "one", root / "run");
  const RunLock lock(root / "run");
  EXPECT_EQ(error_of([&] { lock.check(); }), "");
  fs::remove(root / "run");
  fs::create_directory_symlink(root / "two", root / "run");
  EXPECT_NE(error_of([&] { lock.check(); }), "");
}

TEST(RunLock, IsNotTakenThroughASymlink) {
  const TemporaryFolder folder;
  write_file_durably(folder / "precious", std::string_view("mine"));
  fs::create_symlink(folder / "precious", folder / "lock");
  EXPECT_NE(problem_of(folder).find("lock: it is a symlink"), std::string::npos);
  EXPECT_EQ(read_text(folder / "precious"), "mine");
}

// A job of Slurm's as its processes see it.
class InJob {
 public:
  explicit InJob(const BatchJob& job) {
    ::setenv("SLURM_JOB_ID", std::to_string(job.number).c_str(), 1);
    ::setenv("SLURM_RESTART_COUNT", std::to_string(job.restarts).c_str(), 1);
  }

  ~InJob() {
    ::unsetenv("SLURM_JOB_ID");
    ::unsetenv("SLURM_RESTART_COUNT");
  }

  InJob(const InJob&) = delete;
  InJob& operator=(const InJob&) = delete;
};

TEST(RunLock, NamesTheJobItsHolderIsPartOf) {
  const TemporaryFolder folder;
  {
    const RunLock lock(folder.path());
    EXPECT_FALSE(job_in_lock(folder.path()));
  }
  EXPECT_FALSE(job_in_lock(folder.path()));
  const InJob job({41, 2});
  const RunLock lock(folder.path());
  EXPECT_EQ(job_in_lock(folder.path()), (BatchJob{41, 2}));
}

TEST(RunLock, WhatAnEndedJobLeftOnAnotherMachineIsTakenAwayAndNothingElse) {
  const TemporaryFolder folder;
  const BatchJob ended{41, 0};
  EXPECT_TRUE(remove_lock_of(folder.path(), ended));  // there is none
  write_lock(
      folder,
      {{"host", "elsewhere"}, {"boot", "another"}, {"slurm_job", 41}, {"slurm_restarts", 1}});
  EXPECT_TRUE(is_in_use(folder.path()));
  EXPECT_FALSE(remove_lock_of(folder.path(), ended));  // a later life's
  EXPECT_TRUE(is_in_use(folder.path()));
  EXPECT_TRUE(remove_lock_of(folder.path(), {41, 1}));
  EXPECT_FALSE(is_in_use(folder.path()));
  EXPECT_EQ(problem_of(folder), "");

  const InJob job(ended);
  const pid_t child = hold_lock(folder);  // it lives, whatever is said of its job
  EXPECT_FALSE(remove_lock_of(folder.path(), ended));
  EXPECT_TRUE(is_in_use(folder.path()));
  end(child);
}

TEST(RunLock, AFolderThatCannotBeWrittenIsNamed) {
  const std::string problem = error_of([] { const RunLock lock("/proc/none"); });
  EXPECT_NE(problem.find("/proc/none/lock"), std::string::npos) << problem;
}

}  // namespace

}  // namespace tarl::store
