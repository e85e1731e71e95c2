// SPDX-License-Identifier: MIT
#include "tarl/core/ready_set.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tarl {
namespace {

TEST(ReadySet, GivesEveryNumberOnce) {
  for (const int homes : {1, 3, 16}) {
    ReadySet set(1000, homes);
    for (int number = 0; number < 1000; ++number) set.put(number);
    std::set<int> taken;
    while (const auto number = set.try_take(homes - 1)) taken.insert(*number);
    EXPECT_EQ(taken.size(), 1000U) << homes;
    EXPECT_EQ(*taken.begin(), 0);
    EXPECT_EQ(*taken.rbegin(), 999);
  }
}

TEST(ReadySet, TakesFromItsHomeFirst) {
  ReadySet set(9, 3);
  for (int number = 0; number < 9; ++number) set.put(number);
  for (const int expected : {1, 4, 7}) EXPECT_EQ(set.try_take(1), expected);
  EXPECT_EQ(*set.try_take(1) % 3, 2);
}

// A number that returns at once does not starve the others.
TEST(ReadySet, GoesRound) {
  constexpr int kNumbers = 200;  // several words of a home
  ReadySet set(kNumbers, 1);
  for (int number = 0; number < kNumbers; ++number) set.put(number);
  std::set<int> taken;
  for (int turn = 0; turn < kNumbers; ++turn) {
    const auto number = set.try_take(0);
    ASSERT_TRUE(number);
    taken.insert(*number);
    set.put(*number);
  }
  EXPECT_EQ(taken.size(), static_cast<std::size_t>(kNumbers));
}

TEST(ReadySet, RemovesOnlyWhatIsInIt) {
  ReadySet set(100, 2);
  set.put(70);
  EXPECT_FALSE(set.remove(71));
  EXPECT_TRUE(set.remove(70));
  EXPECT_FALSE(set.remove(70));
  EXPECT_FALSE(set.try_take(0));
}

TEST(ReadySet, ANumberIsPutOnceAndWithinTheBound) {
  ReadySet set(10, 1);
  set.put(3);
  EXPECT_THROW(set.put(3), std::logic_error);
  EXPECT_THROW(set.put(10), std::logic_error);
}

// Access to counts[n] by the owner of n would be a race if a number were given out twice, or
// without its last owner's writes.
TEST(ReadySet, PassesMemoryOnWithTheNumber) {
  constexpr int kNumbers = 7, kThreads = 4, kRounds = 3000;
  ReadySet set(kNumbers, 2);
  std::vector<int> counts(kNumbers);
  std::atomic<int> finished{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      while (const auto number = set.take(thread % 2)) {
        if (++counts[static_cast<std::size_t>(*number)] < kRounds) {
          set.put(*number);
        } else if (++finished == kNumbers) {
          set.close();
        }
      }
    });
  }
  for (int number = 0; number < kNumbers; ++number) set.put(number);
  for (std::thread& thread : threads) thread.join();
  for (const int count : counts) EXPECT_EQ(count, kRounds);
}

// Two threads that answer each other sleep and wake all the time; one that misses a wake-up would
// sleep forever.
TEST(ReadySet, WakesWhoSleeps) {
  ReadySet there(1, 1), back(1, 1);
  std::thread other([&] {
    while (const auto number = there.take(0)) back.put(*number);
  });
  for (int round = 0; round < 20000; ++round) {
    there.put(0);
    ASSERT_EQ(back.take(0), 0);
  }
  there.close();
  other.join();
}

TEST(ReadySet, IsEmptyOnceClosed) {
  ReadySet set(4, 1);
  set.put(2);
  set.close();
  EXPECT_FALSE(set.take(0));
}

}  // namespace
}  // namespace tarl
