// SPDX-License-Identifier: MIT
#include "tarl/study/executors/run_queue.h"

#include <set>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/store/run_lock.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {
namespace {

using Kind = RunEvent::Kind;

struct RunQueueTest : ::testing::Test {
  RunQueueTest()
      : runs(plan(
            apply_request(find_study("minatar-replay"), {.seeds = 1, .envs = {"minatar/breakout"}}),
            folder.path())) {
    runs.resize(2);
    for (const PlannedRun& run : runs) prepare_run(run);
  }

  static std::vector<Kind> kinds(RunQueue& queue) {
    std::vector<Kind> kinds;
    for (const RunEvent& event : queue.take_events()) kinds.push_back(event.kind);
    return kinds;
  }

  test::TemporaryFolder folder;
  std::vector<PlannedRun> runs;
};

TEST_F(RunQueueTest, GivesEveryRunOnceInTheOrderOfThePlan) {
  RunQueue queue(runs, {});
  const auto first = queue.take(), second = queue.take();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->run, &runs[0]);
  EXPECT_EQ(second->run, &runs[1]);
  EXPECT_EQ(first->number, 1);
  EXPECT_FALSE(queue.take());
  queue.started(*first);
  queue.finished(*first);
  queue.finished(*second);
  EXPECT_EQ(kinds(queue), (std::vector{Kind::kStarted, Kind::kFinished, Kind::kFinished}));
  EXPECT_EQ(queue.outcome(), Execution::kFinished);
}

TEST_F(RunQueueTest, TriesAFailedRunAgainAndGivesItUpInTheEnd) {
  runs.resize(1);
  RunQueue queue(runs, {.most = 2, .delay = {}});
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const auto taken = queue.take();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->number, attempt);
    queue.failed(*taken, "killed", false);
  }
  EXPECT_FALSE(queue.any_waiting());
  EXPECT_EQ(kinds(queue), (std::vector{Kind::kRetry, Kind::kRetry, Kind::kFailed}));
  EXPECT_EQ(queue.outcome(), Execution::kFailed);
  EXPECT_EQ(look_at(runs[0]).error, "killed");
}

TEST_F(RunQueueTest, GivesUpAtOnceWhatWouldEndTheSameWay) {
  runs.resize(1);
  RunQueue queue(runs, {.most = 9, .delay = {}});
  queue.failed(*queue.take(), "not finite", true);
  EXPECT_EQ(kinds(queue), std::vector{Kind::kFailed});
  EXPECT_EQ(queue.outcome(), Execution::kFailed);
}

TEST_F(RunQueueTest, AFailedRunWaitsWhileOthersGoFirst) {
  RunQueue queue(runs, {.most = 1, .delay = std::chrono::hours(1)});
  queue.failed(*queue.take(), "killed", false);
  EXPECT_EQ(queue.take()->run, &runs[1]);
  EXPECT_FALSE(queue.take());
  EXPECT_TRUE(queue.any_waiting());
}

TEST_F(RunQueueTest, ARunInUseIsPassedOverAndToldOnce) {
  const store::RunLock lock(runs[0].folder);
  RunQueue queue(runs, {});
  EXPECT_EQ(queue.take()->run, &runs[1]);
  EXPECT_FALSE(queue.take());
  EXPECT_EQ(kinds(queue), std::vector{Kind::kInUse});
  EXPECT_TRUE(queue.any_waiting());
}

TEST_F(RunQueueTest, AStoppedRunIsLeftForTheNextTime) {
  RunQueue queue(runs, {});
  queue.finished(*queue.take());
  queue.stopped(*queue.take());
  EXPECT_EQ(kinds(queue), (std::vector{Kind::kFinished, Kind::kStopped}));
  EXPECT_EQ(queue.outcome(), Execution::kStopped);
}

// Others at work on the same runs, as the test says.
struct RunQueueInCompany : RunQueueTest {
  RunQueueInCompany()
      : queue(runs, {.most = 1, .delay = {}},
              RunQueue::Company{[this](const PlannedRun& run) { return held.contains(&run); },
                                [this](const PlannedRun& run) { return over.contains(&run); }}) {}

  std::set<const PlannedRun*> held, over;
  RunQueue queue;
};

TEST_F(RunQueueInCompany, WhatOthersHoldIsLeftToThem) {
  held.insert(&runs[0]);
  const auto mine = queue.take();
  EXPECT_EQ(mine->run, &runs[1]);
  EXPECT_FALSE(queue.take());
  EXPECT_TRUE(queue.any_waiting());  // they may die meanwhile
  queue.finished(*mine);
  EXPECT_TRUE(queue.any_waiting());  // looked at once more
  EXPECT_FALSE(queue.take());
  EXPECT_FALSE(queue.any_waiting());
  EXPECT_EQ(kinds(queue), std::vector{Kind::kFinished});
  EXPECT_EQ(queue.outcome(), Execution::kFinished);
}

TEST_F(RunQueueInCompany, WhatTheDeadLeaveIsTakenOver) {
  held.insert(&runs[0]);
  const auto mine = queue.take();
  EXPECT_FALSE(queue.take());
  held.clear();
  queue.finished(*mine);
  const auto theirs = queue.take();
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->run, &runs[0]);
  EXPECT_EQ(theirs->number, 1);
}

TEST_F(RunQueueInCompany, WhatOthersHaveEndedIsNotBegunAgain) {
  over.insert(&runs[0]);
  EXPECT_EQ(queue.take()->run, &runs[1]);
  EXPECT_FALSE(queue.take());
}

TEST_F(RunQueueInCompany, WhoComesSecondGoesOnWithoutAFailure) {
  over.insert(&runs[1]);
  const auto lost = queue.take();
  held.insert(&runs[0]);
  queue.put_back(*lost);
  EXPECT_FALSE(queue.take());
  EXPECT_FALSE(queue.any_waiting());
  EXPECT_EQ(queue.outcome(), Execution::kFinished);
  EXPECT_TRUE(kinds(queue).empty());
}

TEST_F(RunQueueInCompany, AStopLeavesItsOwnRunsForTheNextLife) {
  held.insert(&runs[0]);
  queue.stopped(*queue.take());
  EXPECT_EQ(queue.outcome(), Execution::kStopped);
}

TEST_F(RunQueueInCompany, SaysWhetherAFailureWouldComeAgain) {
  queue.failed(*queue.take(), "not finite", true);
  queue.failed(*queue.take(), "killed", false);
  queue.failed(*queue.take(), "killed", false);
  std::vector<bool> hopeless;
  for (const RunEvent& event : queue.take_events()) {
    if (event.kind == Kind::kFailed) hopeless.push_back(event.hopeless);
  }
  EXPECT_EQ(hopeless, (std::vector{true, false}));
  EXPECT_EQ(queue.outcome(), Execution::kFailed);
}

}  // namespace
}  // namespace tarl::study
