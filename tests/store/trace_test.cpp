// SPDX-License-Identifier: MIT
#include "tarl/store/trace.h"

#include <limits>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/npz.h"

namespace tarl::store {
namespace {

using test::error_of;
using test::TemporaryFolder;

// Large enough that a block has two updates.
constexpr TraceShape kShape{12'000, 2, 1};
constexpr int kUpdates = 7;

Trace update(std::int64_t number) {
  const auto n = static_cast<std::size_t>(kShape.candidates);
  const auto value = static_cast<float>(number);
  Trace one;
  one.shape = kShape;
  one.update = {number};
  one.step = {number * 4};
  one.lag = {number % 3};
  one.slot.assign(n, number * 10);
  one.age.assign(n, number * 11);
  one.reward.assign(n, value);
  one.terminal.assign(n, static_cast<std::uint8_t>(number % 2));
  one.weight.assign(n, value / 2);
  one.q.assign(2 * n, value / 3);
  one.q.front() = -value;
  one.y_online.assign(2 * n, value / 5);
  one.y_offline.assign(2 * n, value / 7);
  one.score.assign(n, 1.0 / static_cast<double>(number));
  one.paper_score.assign(n, 0.5);
  one.scenario.assign(n, 3);
  one.kept.assign(n, 1);
  return one;
}

void append(TraceLog& log, int first, int last) {
  for (int number = first; number <= last; ++number) log.append(update(number));
}

Tensors saved(TraceLog& log) {
  Tensors state;
  StateWriter writer(state);
  log.save(writer);
  return state;
}

void load(TraceLog& log, const Tensors& state) {
  log.load(StateReader(state, "test"));
}

class TraceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TemporaryFolder folder;
    TraceLog log(folder.path(), true);
    log.start();
    append(log, 1, kUpdates);
    log.finish();
    unbroken_ = read_text(folder / "trace.npz", kMostTrace);
  }

  // Whether the run has ended with the trace of one that went through.
  void expect_unbroken() const {
    EXPECT_TRUE(read_text(folder_ / "trace.npz", kMostTrace) == unbroken_);
    EXPECT_FALSE(fs::exists(folder_ / "trace.part"));
  }

  // A run from its beginning that saves its state after one update and goes on to another. It ends
  // there, or is killed.
  Tensors begin(int saved_at, int last, bool ends = false) const {
    TraceLog log(folder_.path(), true);
    log.start();
    append(log, 1, saved_at);
    Tensors state = saved(log);
    append(log, saved_at + 1, last);
    if (ends) log.finish();
    return state;
  }

  // A run from a saved state to its end.
  void end_from(const Tensors& state, int next) const {
    TraceLog log(folder_.path(), true);
    load(log, state);
    append(log, next, kUpdates);
    log.finish();
  }

  TemporaryFolder folder_;
  static std::string unbroken_;
};

std::string TraceTest::unbroken_;

TEST_F(TraceTest, WrittenAtOnceItIsTheSameFile) {
  Trace all;
  for (int number = 1; number <= kUpdates; ++number) append(all, update(number));
  EXPECT_EQ(all.updates(), std::size_t{kUpdates});
  save_trace(folder_ / "trace.npz", all);
  expect_unbroken();
}

TEST_F(TraceTest, IsReadAsItWasWritten) {
  begin(1, kUpdates, true);
  const Trace trace = read_trace(folder_ / "trace.npz");
  ASSERT_EQ(trace.updates(), std::size_t{kUpdates});
  EXPECT_EQ(trace.shape, kShape);
  const auto n = static_cast<std::size_t>(kShape.candidates);
  for (std::size_t at = 0; at < kUpdates; ++at) {
    const Trace one = update(static_cast<std::int64_t>(at) + 1);
    EXPECT_EQ(trace.step[at], one.step[0]);
    EXPECT_EQ(trace.age[at * n], one.age[0]);
    EXPECT_EQ(trace.q[at * 2 * n], one.q[0]);
    EXPECT_EQ(trace.y_offline[at * 2 * n + n], one.y_offline[n]);
    EXPECT_EQ(trace.score[at * n + 1], one.score[1]);
    EXPECT_EQ(trace.paper_score[at * n + 1], 0.5);
    EXPECT_EQ(trace.terminal[at * n], one.terminal[0]);
  }
  EXPECT_EQ(trace_bytes(kShape), 3 * 8 + static_cast<std::uint64_t>(kShape.candidates) *
                                             (2 * 8 + 2 * 4 + 2 * 8 + 3 + 3 * 4 * 2));
}

TEST_F(TraceTest, UpdatesSinceACheckpointAreCutBack) {
  end_from(begin(3, kUpdates), 4);
  expect_unbroken();
}

TEST_F(TraceTest, AFinishedRunThatGoesOnTakesItsTraceBack) {
  const Tensors state = begin(4, 6, true);
  {
    TraceLog log(folder_.path(), true);  // killed once more, in blocks that lie elsewhere
    load(log, state);
    append(log, 5, kUpdates);
    saved(log);
  }
  end_from(state, 5);
  expect_unbroken();
}

TEST_F(TraceTest, WhatWasTracedBeforeItWasSwitchedOffStays) {
  const Tensors first = begin(kUpdates, kUpdates);
  Tensors second;
  {
    TraceLog log(folder_.path(), false);
    load(log, first);
    second = saved(log);
  }
  TraceLog log(folder_.path(), false);
  load(log, second);
  log.finish();
  expect_unbroken();
}

TEST_F(TraceTest, ARunFromItsBeginningStartsAfresh) {
  write_file_durably(folder_ / "trace.npz", "old");
  write_file_durably(folder_ / "trace.part", "old");
  TraceLog log(folder_.path(), true);
  log.start();
  EXPECT_FALSE(fs::exists(folder_ / "trace.npz"));
  log.finish();  // nothing was traced
  EXPECT_FALSE(fs::exists(folder_ / "trace.npz"));
  EXPECT_FALSE(fs::exists(folder_ / "trace.part"));
}

TEST_F(TraceTest, MissingAndDamagedPartsAreTold) {
  const Tensors state = begin(3, 3);
  TraceLog log(folder_.path(), true);
  std::string bytes = read_text(folder_ / "trace.part", kMostTrace);
  bytes.front() = 'X';
  write_file_durably(folder_ / "trace.part", bytes);
  EXPECT_NE(error_of([&] { load(log, state); }).find("is damaged"), std::string::npos);
  bytes.front() = 't';
  bytes.pop_back();
  write_file_durably(folder_ / "trace.part", bytes);
  EXPECT_NE(error_of([&] { load(log, state); }).find("fewer updates than"), std::string::npos);
  fs::remove(folder_ / "trace.part");
  EXPECT_NE(error_of([&] { load(log, state); }).find("align.trace=0"), std::string::npos);
}

TEST_F(TraceTest, OtherFilesAreNoTraces) {
  const std::vector<float> values(6);
  const NamedTensor flat[] = {{"q", Tensor::of(std::span(values), {6})}};
  save_npz(folder_ / "flat.npz", flat);
  EXPECT_NE(error_of([&] { read_trace(folder_ / "flat.npz"); }).find("array q"), std::string::npos);
  const NamedTensor alone[] = {{"q", Tensor::of(std::span(values), {1, 2, 3})}};
  save_npz(folder_ / "alone.npz", alone);
  EXPECT_NE(error_of([&] { read_trace(folder_ / "alone.npz"); }).find("array update"),
            std::string::npos);
  const NamedTensor none[] = {{"q", Tensor{Dtype::kF32, {0, 1LL << 40, 1LL << 40}, {}}}};
  save_npz(folder_ / "none.npz", none);
  EXPECT_NE(error_of([&] { read_trace(folder_ / "none.npz"); }).find("no update has"),
            std::string::npos);
}

TEST_F(TraceTest, CountsThatNoRunReachesAreDamage) {
  for (const std::int64_t count : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    Trace late = update(1), old = update(1);
    late.lag = {count};
    old.age.back() = count;
    for (const Trace& trace : {late, old}) {
      save_trace(folder_ / "odd.npz", trace);
      EXPECT_NE(error_of([&] { read_trace(folder_ / "odd.npz"); }).find("no run has"),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tarl::store
