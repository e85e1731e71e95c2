// SPDX-License-Identifier: MIT
#include "tarl/study/executors/child_process.h"

#include <chrono>
#include <csignal>
#include <thread>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tarl/core/error.h"
#include "tarl/core/machine.h"

namespace tarl::study {
namespace {

constexpr std::chrono::milliseconds kBreath{2};  // between two looks; no verdict depends on it

// Waits as long as it takes; a child that never ends runs into the test's time limit.
int ended(ChildProcess& child) {
  for (;;) {
    if (const auto status = child.poll()) return *status;
    std::this_thread::sleep_for(kBreath);
  }
}

std::string state_of(pid_t pid) {
  try {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    return stat.substr(stat.rfind(") ") + 2, 1);
  } catch (const Error&) {
    return "";
  }
}

TEST(ChildProcess, AppendsItsOutputToTheLogAndTellsHowItEnded) {
  const test::TemporaryFolder scratch;
  for (const char* word : {"one", "two"}) {
    ChildProcess child(
        {{"sh", "-c", std::string("echo ") + word + "; exit 3"}, scratch / "log", {}});
    EXPECT_EQ(describe_end(ended(child)), "exit code 3");
  }
  EXPECT_EQ(read_text(scratch / "log"), "one\ntwo\n");
}

TEST(ChildProcess, UsesOnlyTheProcessorItWasGiven) {
  const int cpu = usable_cpus().back();
  const test::TemporaryFolder scratch;
  ChildProcess child(
      {{"sh", "-c", "grep Cpus_allowed_list /proc/self/status"}, scratch / "log", cpu});
  ended(child);
  EXPECT_EQ(read_text(scratch / "log"), "Cpus_allowed_list:\t" + std::to_string(cpu) + "\n");
}

TEST(ChildProcess, IsEndedByWhoeverLetsGoOfIt) {
  pid_t pid = 0;
  {
    const ChildProcess child({{"sleep", "infinity"}, {}, {}});
    pid = child.pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(ChildProcess, IsEndedThoughItIsStopped) {
  ChildProcess child({{"sleep", "infinity"}, {}, {}});
  child.signal(SIGSTOP);
  while (state_of(child.pid()) != "T") std::this_thread::sleep_for(kBreath);
  child.ask_to_end();
  EXPECT_EQ(describe_end(ended(child)), "killed by signal 15 (Terminated)");
}

TEST(ChildProcess, SaysWhichSignalKilledIt) {
  ChildProcess child({{"sleep", "infinity"}, {}, {}});
  child.signal(SIGKILL);
  EXPECT_EQ(describe_end(ended(child)), "killed by signal 9 (Killed)");
}

TEST(ChildProcess, DiesWithAParentThatIsKilled) {
  // A parent of our own making, killed without a chance to clean up.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const ChildProcess child({{"sleep", "infinity"}, {}, {}});
    const pid_t pid = child.pid();
    [[maybe_unused]] const ssize_t told = ::write(ends[1], &pid, sizeof pid);
    ::raise(SIGKILL);
  }
  pid_t orphan = 0;
  ASSERT_EQ(::read(ends[0], &orphan, sizeof orphan), static_cast<ssize_t>(sizeof orphan));
  int status = 0;
  ::waitpid(parent, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  // It may stay as a zombie where nobody adopts it; what matters is that it does not run.
  for (std::string state = state_of(orphan); !state.empty() && state != "Z";) {
    std::this_thread::sleep_for(kBreath);
    state = state_of(orphan);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(OutputOf, GivesTheTextOrTheReason) {
  EXPECT_EQ(output_of({"echo", "a word"}), "a word\n");
  try {
    output_of({"sh", "-c", "echo no >&2; exit 4"});
    FAIL();
  } catch (const Error& problem) {
    EXPECT_STREQ(problem.what(), "sh failed with exit code 4: no");
  }
  EXPECT_THROW(output_of({"no-program-has-this-name"}), Error);
}

TEST(LastLine, IsTheLastThatSaysSomethingAndNeverAnError) {
  const test::TemporaryFolder folder;
  write_file_durably(folder.path() / "log", "first\nlast\n\n");
  EXPECT_EQ(last_line(folder.path() / "log"), "last");
  EXPECT_EQ(last_line(folder.path() / "missing"), "(it said nothing)");
  EXPECT_EQ(last_line(folder.path()), "(it said nothing)");  // a folder cannot be read
}

}  // namespace
}  // namespace tarl::study
