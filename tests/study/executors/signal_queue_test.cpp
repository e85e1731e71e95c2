// SPDX-License-Identifier: MIT
#include "tarl/study/executors/signal_queue.h"

#include <gtest/gtest.h>

#include "tarl/study/executors/child_process.h"

namespace tarl::study {
namespace {

using namespace std::chrono_literals;

TEST(SignalQueue, CountsRequestsToStop) {
  SignalQueue signals;
  EXPECT_EQ(signals.pause(0ms), 0);
  ::raise(SIGTERM);
  EXPECT_EQ(signals.pause(24h), 1);
  ::raise(SIGINT);
  ::raise(SIGTERM);
  EXPECT_EQ(signals.pause(24h), 3);
  EXPECT_EQ(signals.pause(1ms), 3);
}

// When a terminal closes, its shell and the kernel each send a SIGHUP.
TEST(SignalQueue, MoreThanOneHangUpIsOneRequest) {
  const auto before = std::signal(SIGHUP, SIG_DFL);  // the test itself may be run by nohup
  {
    SignalQueue signals;
    ::raise(SIGHUP);
    EXPECT_EQ(signals.pause(5s), 1);
    ::raise(SIGHUP);
    EXPECT_EQ(signals.pause(5s), 1);
  }
  std::signal(SIGHUP, before);
}

TEST(SignalQueue, WakesWhenAChildEnds) {
  SignalQueue signals;
  ChildProcess child({{"true"}, {}, {}});
  EXPECT_EQ(signals.pause(24h), 0);
  while (!child.poll()) signals.pause(10ms);
}

TEST(SignalQueue, LeavesIgnoredSignalsIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    SignalQueue signals;
    ::raise(SIGHUP);
    EXPECT_EQ(signals.pause(1ms), 0);
  }
  std::signal(SIGHUP, before);
}

TEST(SignalQueue, DropsWhatNobodyTook) {
  {
    SignalQueue signals;
    ::raise(SIGTERM);
  }
  SUCCEED() << "the signal did not end this program";
}

}  // namespace
}  // namespace tarl::study
