// SPDX-License-Identifier: MIT
#include "tarl/serve/run_index.h"

#include <algorithm>

#include "study/results_synthetic.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"
#include "tarl/store/run_lock.h"

namespace tarl::serve {
namespace {

using namespace std::chrono_literals;
using study::RunPhase;
using synthetic::write_run;

using Ids = std::vector<std::string>;

TEST(RunIndex, TellsOfEveryRunWhatTheTableShows) {
  const test::TemporaryFolder scratch;
  write_run(scratch / "deep" / "a", {.algo = "ta-dqn", .seed = 3, .margin = 1});
  write_run(scratch / "b", {.evaluations = 4, .status = "running"});
  const store::RunLock lock(scratch / "b");
  RunIndex index(scratch.path());
  EXPECT_EQ(index.look(1h).size(), 2U);
  const std::vector<const RunRow*> rows = index.rows();
  ASSERT_EQ(rows.size(), 2U);
  const RunRow &b = *rows[0], &a = *rows[1];
  EXPECT_EQ(b.path, "b");
  EXPECT_EQ(b.phase, RunPhase::kRunning);
  EXPECT_EQ(b.step, 400);
  EXPECT_EQ(b.label, "DQN");
  EXPECT_EQ(a.path, "deep/a");
  EXPECT_EQ(a.phase, RunPhase::kFinished);
  EXPECT_EQ(a.step, 1000);
  EXPECT_EQ(a.label, "TA-DQN");
  EXPECT_EQ(a.header.seed, 3);
  EXPECT_GT(a.updated, 0);
  EXPECT_EQ(index.find(a.id), &a);
  EXPECT_EQ(index.find("nobody"), nullptr);

  const Json json = parse_json(index.json());
  EXPECT_EQ(json["unread"], 0);
  const Json& run = json["runs"][1];
  EXPECT_EQ(run["env"], "minatar/breakout");
  EXPECT_EQ(run["status"], "done");
  EXPECT_EQ(run["evaluations"], 10);
  EXPECT_EQ(run["best"], *std::max_element(a.mean_returns.begin(), a.mean_returns.end()));
  EXPECT_EQ(run["curve"].size(), 10U);
  EXPECT_EQ(run["seconds"], 60);
  EXPECT_DOUBLE_EQ(run["steps_per_second"], 1000.0 / 60);
}

// run.json has the time of its last writing, which is the start of a run or its last checkpoint.
TEST(RunIndex, ThePaceOfARunningRunIsThatOfItsLoggedRows) {
  const test::TemporaryFolder scratch;
  write_run(scratch / "a", {.evaluations = 4, .status = "running", .wall_seconds = 0.01});
  const store::RunLock lock(scratch / "a");
  RunIndex index(scratch.path());
  index.look(1h);
  EXPECT_FALSE(parse_json(index.json())["runs"][0].contains("steps_per_second"));
  write_file_durably(scratch / "a" / "timing.csv",
                     "step,updates,utc,seconds,steps_per_second,updates_per_second\n"
                     "200,0,2026-01-01T00:00:00Z,4,50,0\n400,1,2026-01-01T00:00:04Z,8,50,1\n500,");
  write_run(scratch / "a", {.evaluations = 5, .status = "running", .wall_seconds = 0.01});
  index.look(1h);
  const Json run = parse_json(index.json())["runs"][0];
  EXPECT_EQ(run["steps_per_second"], 50);
  EXPECT_EQ(run["seconds"], 8);
  EXPECT_EQ(run["step"], 500);
}

TEST(RunIndex, ReadsAgainOnlyWhatChanged) {
  const test::TemporaryFolder scratch;
  write_run(scratch / "a", {});
  write_run(scratch / "b", {.evaluations = 2, .status = "running"});
  RunIndex index(scratch.path());
  index.look(1h);
  EXPECT_EQ(index.look(1h), Ids{});
  const RunRow& b = *index.rows()[1];
  const std::uint64_t before = b.version;
  write_run(scratch / "b", {.evaluations = 3, .status = "running"});
  EXPECT_EQ(index.look(1h), Ids{b.id});
  EXPECT_NE(b.version, before);
  EXPECT_EQ(b.mean_returns.size(), 3U);
  write_file_durably(scratch / "a" / "train.log", "a line");
  EXPECT_EQ(index.look(1h), Ids{});
}

TEST(RunIndex, SeesARunBeginAndEnd) {
  const test::TemporaryFolder scratch;
  RunIndex index(scratch.path());
  EXPECT_EQ(index.look(1h), Ids{});
  write_run(scratch / "a", {.evaluations = 2, .status = "running"});
  {
    const store::RunLock lock(scratch / "a");
    const Ids began = index.look(1h);
    ASSERT_EQ(began.size(), 1U);
    EXPECT_EQ(index.find(began[0])->phase, RunPhase::kRunning);
  }
  EXPECT_EQ(index.look(1h).size(), 1U);
  EXPECT_EQ(index.rows()[0]->phase, RunPhase::kStopped);
  const std::string id = index.rows()[0]->id;
  fs::remove_all(scratch / "a");
  EXPECT_EQ(index.look(1h), Ids{id});
  EXPECT_TRUE(index.rows().empty());
  write_run(scratch / "a", {});
  EXPECT_EQ(index.look(1h), Ids{id});  // a run keeps its address
}

TEST(RunIndex, GoesOnWhereItsTimeEnded) {
  const test::TemporaryFolder scratch;
  for (int i = 0; i < 5; ++i) write_run(scratch / std::to_string(i), {.seed = i});
  RunIndex index(scratch.path());
  EXPECT_EQ(index.look(0ms).size(), 1U);
  EXPECT_EQ(index.unread(), 4U);
  EXPECT_EQ(index.rows().size(), 1U);
  int looks = 1;
  for (; index.unread() > 0; ++looks) EXPECT_EQ(index.look(0ms).size(), 1U);
  EXPECT_EQ(looks, 5);
  EXPECT_EQ(index.rows().size(), 5U);
}

TEST(RunIndex, ShowsDamagedRuns) {
  const test::TemporaryFolder scratch;
  write_run(scratch / "a", {});
  write_run(scratch / "b", {});
  write_file_durably(scratch / "a" / "config.toml", "this is = no = toml");
  write_file_durably(scratch / "b" / "evaluations.npz", "no archive");
  RunIndex index(scratch.path());
  index.look(1h);
  ASSERT_EQ(index.rows().size(), 2U);
  EXPECT_NE(index.rows()[0]->damage.find("config.toml"), std::string::npos);
  EXPECT_FALSE(index.rows()[1]->damage.empty());
  EXPECT_FALSE(parse_json(index.json())["runs"][1].contains("best"));
}

}  // namespace
}  // namespace tarl::serve
