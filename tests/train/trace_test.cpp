// SPDX-License-Identifier: MIT
#include "tarl/train/trace.h"

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

const char* const kResults[] = {"model.safetensors", "evaluations.npz", "progress.csv",
                                "monitor.csv", "events.out.tfevents.0.tarl"};

std::vector<std::string> aligned(const std::string& trace) {
  return {"align.margin=1", "align.trace=" + trace};
}

void expect_same(const fs::path& a, const fs::path& b) {
  for (const char* file : kResults) EXPECT_TRUE(read_text(a / file) == read_text(b / file)) << file;
}

TEST(TracedRun, HasTheResultsOfOneThatIsNotTraced) {
  const TemporaryFolder root;
  run_training(small_run(root / "plain"));
  run_training(small_run(root / "traced", false, {"align.trace=2"}));
  expect_same(root / "plain", root / "traced");
  EXPECT_FALSE(fs::exists(root / "plain/trace.npz"));
  const store::Trace trace = store::read_trace(root / "traced/trace.npz");
  // Updates 1 to 87 come after steps 52, 56, ...
  ASSERT_EQ(trace.updates(), 44U);
  EXPECT_EQ(trace.shape, (store::TraceShape{4, 1, 0}));
  EXPECT_EQ(trace.update.front(), 2);
  EXPECT_EQ(trace.step.front(), 56);
  EXPECT_EQ(trace.lag.front(), 2);
  EXPECT_EQ(trace.step.back(), 400);
  EXPECT_EQ(std::count(trace.kept.begin(), trace.kept.end(), 1), 44 * 4);
}

TEST(TracedRun, ThatWasStoppedHasTheTraceOfOneThatWasNot) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole", false, aligned("3")));
  EXPECT_EQ(stopped_run(small_run(root / "halves", false, aligned("3")), 150).end,
            RunEnd::kStopped);
  EXPECT_TRUE(fs::exists(root / "halves/trace.part"));
  EXPECT_EQ(run_training(stored_run(root / "halves")).end, RunEnd::kFinished);
  expect_same(root / "whole", root / "halves");
  EXPECT_TRUE(read_text(root / "whole/trace.npz") == read_text(root / "halves/trace.npz"));
  EXPECT_FALSE(fs::exists(root / "halves/trace.part"));
}

TEST(TracedRun, MayBeSwitchedAtAResume) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole", false, aligned("3")));
  EXPECT_EQ(stopped_run(small_run(root / "late", false, aligned("0")), 150).end, RunEnd::kStopped);
  EXPECT_EQ(run_training(small_run(root / "late", true, aligned("3"))).end, RunEnd::kFinished);
  expect_same(root / "whole", root / "late");
  const store::Trace all = store::read_trace(root / "whole/trace.npz");
  const store::Trace late = store::read_trace(root / "late/trace.npz");
  ASSERT_GT(late.updates(), 0U);
  ASSERT_LT(late.updates(), all.updates());
  EXPECT_GT(late.step.front(), 128);
  EXPECT_TRUE(std::equal(late.score.rbegin(), late.score.rend(), all.score.rbegin()));
}

TEST(TracedRun, IsRefusedWhereItWouldFillTheDisk) {
  const TemporaryFolder root;
  const std::string problem = error_of([&] {
    run_training(small_run(root / "run", false, {"align.trace=1", "steps=4e9", "train_freq=1"}));
  });
  EXPECT_NE(problem.find("align.trace = 1 would write"), std::string::npos) << problem;
  EXPECT_FALSE(fs::exists(root / "run"));
  const std::string advice = problem.substr(problem.rfind("align.trace = "));
  const std::string enough = advice.substr(0, advice.find(" or"));
  RunConfig config =
      small_run(root / "run", false, {"align.trace=1", "steps=4e9", "train_freq=1"}).config;
  config.align.trace = std::stoll(enough.substr(enough.rfind(' ')));
  EXPECT_NO_THROW(refuse_long_trace(config));
  config.align.trace -= 2;
  EXPECT_THROW(refuse_long_trace(config), UsageError);
}

}  // namespace
}  // namespace tarl::train
