// SPDX-License-Identifier: MIT
#include "tarl/core/core_pool.h"

#include <numeric>
#include <stdexcept>

#include "support/errors.h"
#include <gtest/gtest.h>
#include <sched.h>

#include "tarl/core/machine.h"

namespace tarl {
namespace {

CorePool::Options unpinned(int threads, int items = 64) {
  return {.cpus = std::vector<int>(static_cast<std::size_t>(threads), -1), .items = items};
}

std::vector<int> first(int items) {
  std::vector<int> all(static_cast<std::size_t>(items));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// A gate that work waits at.
class Gate {
 public:
  void pass() const { open_.wait(false); }

  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_{false};
};

class PoolOf : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Threads, PoolOf, testing::Values(1, 2, 7));

TEST_P(PoolOf, CallsEveryItemThatWasAskedForOnce) {
  CorePool pool(unpinned(GetParam()));
  EXPECT_EQ(pool.threads(), GetParam());
  std::vector<std::vector<int>> calls(5, std::vector<int>(9));
  std::vector<int> rounds(calls.size());
  for (std::vector<int>& group : calls) {
    pool.add("g", "item", 9, [&group](int item) { ++group[static_cast<std::size_t>(item)]; });
  }
  const std::vector<int> some = {8, 0, 3};
  for (int group = 0; group < 5; ++group) pool.start(group, some);
  while (const auto group = pool.receive()) {
    EXPECT_FALSE(pool.busy(*group));
    if (++rounds[static_cast<std::size_t>(*group)] < 300) pool.start(*group, some);
  }
  for (const std::vector<int>& group : calls) {
    EXPECT_EQ(group, (std::vector<int>{300, 0, 0, 300, 0, 0, 0, 0, 300}));
  }
}

TEST(CorePool, ASlowGroupKeepsNoOtherWaiting) {
  CorePool pool(unpinned(2));
  Gate gate;
  const int slow = pool.add("slow", "item", 1, [&](int) { gate.pass(); });
  const int quick = pool.add("quick", "item", 1, [](int) {});
  pool.start(slow, first(1));
  for (int round = 0; round < 10; ++round) {
    pool.start(quick, first(1));
    EXPECT_EQ(pool.receive(), quick);
  }
  EXPECT_FALSE(pool.try_receive());
  EXPECT_TRUE(pool.busy(slow));
  gate.open();
  EXPECT_EQ(pool.receive(), slow);
  EXPECT_FALSE(pool.receive());
}

TEST(CorePool, WhatWorkThrowsNamesItsGroupAndStopsNoOther) {
  CorePool pool(unpinned(3));
  const int good = pool.add("good", "item", 2, [](int) {});
  const int bad = pool.add("bad", "item", 5, [](int item) {
    if (item == 1 || item == 3) throw std::runtime_error("no " + std::to_string(item));
  });
  int received = 0, failed = 0;
  pool.start(bad, first(5));
  pool.start(good, first(2));
  while (received + failed < 10) {
    try {
      EXPECT_EQ(pool.receive(), good);
      ++received;
      if (received < 9) pool.start(good, first(2));
    } catch (const GroupFailure& failure) {
      ++failed;
      EXPECT_EQ(failure.group(), bad);
      EXPECT_STREQ(failure.what(), "bad, item 1: no 1");
      EXPECT_THROW(std::rethrow_exception(failure.cause()), std::runtime_error);
    }
  }
  EXPECT_EQ(failed, 1);
  EXPECT_THROW(pool.start(bad, first(1)), std::logic_error);
  pool.remove(bad);
  EXPECT_FALSE(pool.receive());
}

TEST(CorePool, RemovingAGroupWaitsForItsCalls) {
  CorePool pool(unpinned(2));
  for (int round = 0; round < 50; ++round) {
    std::vector<int> calls(20);  // gone before the next round
    const int group =
        pool.add("g", "item", 20, [&](int item) { ++calls[static_cast<std::size_t>(item)]; });
    pool.start(group, first(20));
    pool.remove(group);
    for (const int count : calls) EXPECT_EQ(count, 1);
  }
  EXPECT_FALSE(pool.receive());
}

TEST(CorePool, EndsWithCallsAskedFor) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0}, ended{0};
    {
      CorePool pool(unpinned(2, 2000));
      const int group = pool.add("g", "item", 2000, [&](int) {
        ++begun;
        std::this_thread::yield();
        ++ended;
      });
      pool.start(group, first(2000));
    }
    EXPECT_EQ(begun, ended);
  }
}

TEST(CorePool, PlacesAreGivenBackAndRunningOutOfThemIsNamed) {
  CorePool pool(unpinned(1, 10));
  for (int round = 0; round < 5; ++round) {
    const int one = pool.add("one", "item", 4, [](int) {});
    const int two = pool.add("two", "item", 6, [](int) {});
    EXPECT_NE(one, two);
    const std::string problem = test::error_of([&] { pool.add("three", "item", 2, [](int) {}); });
    EXPECT_NE(problem.find("'three' needs 2 places in a pool that has 0 left"), std::string::npos)
        << problem;
    pool.remove(one);
    pool.remove(two);
  }
}

TEST(CorePool, ThreadsStayOnTheirCoresWhereAllowed) {
  const std::vector<int> cpus = usable_cpus();
  CorePool pool({.cpus = {cpus.back(), cpus.back()}, .items = 64});
  EXPECT_EQ(pool.pinned_threads(), 2);
  std::vector<int> seen(50, -1);
  const int group = pool.add(
      "g", "item", 50, [&](int item) { seen[static_cast<std::size_t>(item)] = ::sched_getcpu(); });
  pool.start(group, first(50));
  EXPECT_EQ(pool.receive(), group);
  for (const int cpu : seen) EXPECT_EQ(cpu, cpus.back());
}

TEST(CorePool, WorksWithoutCoresOfItsOwn) {
  CorePool pool({.cpus = {-1, 1 << 20}, .items = 64});
  EXPECT_EQ(pool.pinned_threads(), 0);
  const int group = pool.add("g", "item", 1, [](int) {});
  pool.start(group, first(1));
  EXPECT_EQ(pool.receive(), group);
}

}  // namespace
}  // namespace tarl
