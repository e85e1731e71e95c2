// SPDX-License-Identifier: MIT
#include "tarl/train/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tarl::train {

namespace {

class EachSignal : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Numbers, EachSignal, testing::Values(SIGINT, SIGTERM, SIGUSR1));

TEST_P(EachSignal, TheFirstAsksForAStop) {
  const SignalGuard guard;
  EXPECT_FALSE(stop_requested());
  EXPECT_EQ(stop_signal(), 0);
  std::raise(GetParam());
  EXPECT_TRUE(stop_requested());
  EXPECT_EQ(stop_signal(), GetParam());
}

// The wait status of a process that runs this and then exits with 0.
template <class Body>
int status_after(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_P(EachSignal, TheSecondEndsTheProcessAtOnce) {
  const int status = status_after([] {
    const SignalGuard guard;
    std::raise(SIGTERM);
    std::raise(GetParam());
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + GetParam());
}

TEST_P(EachSignal, TheSecondIsTheSameOnceTheGuardIsGone) {
  const int status = status_after([] {
    {
      const SignalGuard guard;
      std::raise(SIGTERM);
    }
    std::raise(GetParam());
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + GetParam());
}

TEST_P(EachSignal, WithoutAGuardTheOldHandlerIsBack) {
  const int status = status_after([] {
    std::signal(GetParam(), SIG_DFL);  // not what an earlier test's stop left behind
    { const SignalGuard guard; }
    std::raise(GetParam());
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam());
}

TEST(SignalGuard, ANewGuardForgetsTheOldRequest) {
  {
    const SignalGuard guard;
    std::raise(SIGTERM);
  }
  EXPECT_TRUE(stop_requested());
  const SignalGuard guard;
  EXPECT_FALSE(stop_requested());
}

// When a terminal closes, its shell and the kernel each send a SIGHUP.
TEST(SignalGuard, MoreThanOneHangUpIsNoImpatience) {
  const int status = status_after([] {
    std::signal(SIGHUP, SIG_DFL);  // the test itself may be run by nohup
    {
      const SignalGuard guard;
      std::raise(SIGHUP);
      std::raise(SIGHUP);
    }
    std::raise(SIGHUP);
    if (!stop_requested()) ::_exit(1);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(SignalGuard, AHangUpStaysIgnoredUnderNohup) {
  const int status = status_after([] {
    std::signal(SIGHUP, SIG_IGN);
    const SignalGuard guard;
    std::raise(SIGHUP);
    if (stop_requested()) ::_exit(1);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(SignalGuard, AGuardWithinAnotherKeepsWhatWasAskedFor) {
  const SignalGuard outer;
  std::raise(SIGTERM);
  { const SignalGuard inner; }
  const SignalGuard inner;
  EXPECT_TRUE(stop_requested());
}

TEST(SignalGuard, AClosedPipeIsAnErrorNotAnEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const SignalGuard guard;
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  ::close(ends[1]);
}

}  // namespace

}  // namespace tarl::train
