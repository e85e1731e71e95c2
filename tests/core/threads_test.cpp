// SPDX-License-Identifier: MIT
#include "tarl/core/threads.h"

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tarl/core/error.h"

namespace tarl {

namespace {

TEST(Share, CoversEveryItemOnceInOrderAndInWholeGrains) {
  for (const int n : {0, 1, 7, 32, 100, 1000}) {
    for (int count = 1; count <= 5; ++count) {
      for (const int grain : {1, 4, 16, 2000}) {
        int at = 0;
        for (int rank = 0; rank < count; ++rank) {
          const Range range = share(n, rank, count, grain);
          EXPECT_EQ(range.begin, at);
          EXPECT_GE(range.size(), 0);
          EXPECT_TRUE(range.begin % grain == 0 || range.begin == n);
          at = range.end;
        }
        EXPECT_EQ(at, n);
      }
    }
  }
}

TEST(Share, DiffersByAtMostOneGrain) {
  int least = 1000, most = 0;
  for (int rank = 0; rank < 4; ++rank) {
    least = std::min(least, share(103, rank, 4).size());
    most = std::max(most, share(103, rank, 4).size());
  }
  EXPECT_LE(most - least, 1);
}

class TeamOf : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Sizes, TeamOf, testing::Values(1, 2, 3, 4));

TEST_P(TeamOf, RunsEveryRankOnceEachTime) {
  Team team(GetParam());
  EXPECT_EQ(team.size(), GetParam());
  std::vector<int> calls(static_cast<std::size_t>(GetParam()));
  for (int round = 0; round < 500; ++round) {
    team.run([&](int rank) { ++calls[static_cast<std::size_t>(rank)]; });
  }
  for (const int count : calls) EXPECT_EQ(count, 500);
}

TEST_P(TeamOf, SumsThatAreSplitByOutputAreEqual) {
  Team team(GetParam());
  std::vector<float> out(97);
  team.run([&](int rank) {
    const Range range = share(static_cast<int>(out.size()), rank, team.size(), 8);
    for (int i = range.begin; i < range.end; ++i) {
      for (int k = 1; k < 50; ++k)
        out[static_cast<std::size_t>(i)] += 1.0F / static_cast<float>(i + k);
    }
  });
  for (int i = 0; i < 97; ++i) {
    float expected = 0;
    for (int k = 1; k < 50; ++k) expected += 1.0F / static_cast<float>(i + k);
    EXPECT_EQ(out[static_cast<std::size_t>(i)], expected);
  }
}

TEST_P(TeamOf, MembersSeeEachOthersWorkAfterABarrier) {
  Team team(GetParam());
  std::vector<int> stage(static_cast<std::size_t>(GetParam()));
  std::vector<int> mistakes(static_cast<std::size_t>(GetParam()));
  team.run([&](int rank) {
    for (int phase = 1; phase <= 200; ++phase) {
      stage[static_cast<std::size_t>(rank)] = phase;
      team.barrier();
      for (const int other : stage) mistakes[static_cast<std::size_t>(rank)] += other != phase;
      team.barrier();
    }
  });
  EXPECT_EQ(std::accumulate(mistakes.begin(), mistakes.end(), 0), 0);
}

TEST_P(TeamOf, RethrowsAMembersExceptionAndGoesOn) {
  Team team(GetParam());
  const int thrower = GetParam() - 1;
  const auto fail = [&](int rank) {
    if (rank == thrower) throw std::runtime_error("member " + std::to_string(rank));
  };
  EXPECT_THROW(team.run(fail), std::runtime_error);
  int calls = 0;
  team.run([&](int rank) {
    if (rank == 0) ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_P(TeamOf, OneFailureOfManyIsReportedOnce) {
  Team team(GetParam());
  EXPECT_THROW(team.run([](int) { throw std::runtime_error("all fail"); }), std::runtime_error);
  EXPECT_NO_THROW(team.run([](int) {}));
}

TEST(Team, NeverHasFewerThanOneMember) {
  EXPECT_EQ(Team(0).size(), 1);
  EXPECT_EQ(Team(-3).size(), 1);
}

}  // namespace

}  // namespace tarl
