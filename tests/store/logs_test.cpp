// SPDX-License-Identifier: MIT
#include "tarl/store/logs.h"

#include <cmath>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/npz.h"
#include "tarl/core/formats/tfevents.h"

namespace tarl::store {

namespace {

using test::error_of;
using test::TemporaryFolder;

const char* const kFiles[] = {"progress.csv", "monitor.csv", "evaluations.csv", "evaluations.npz",
                              "events.out.tfevents.0.tarl"};

LogOptions options() {
  return {.env_id = "minatar/breakout"};
}

// One step of a run that logs everything; columns appear at steps 30 and 60.
void log_step(RunLogs& logs, std::int64_t step) {
  if (step % 3 == 0) logs.episode(0.1 * static_cast<double>(step), step % 7 + 1, step);
  if (step % 10 != 0) return;
  const double value = static_cast<double>(step) / 7;
  const double returns[] = {value, -value};
  const std::int64_t lengths[] = {step, step + 1};
  logs.evaluation(step, returns, lengths);
  std::vector<std::pair<std::string, double>> row = {{"eval/mean_reward", value}};
  if (step >= 30) row.insert(row.begin(), {"train/loss", 1 / value});
  if (step >= 60 && step != 80) row.emplace_back("tarl/alignment_mean", value);
  logs.progress(step, row);
}

std::string contents(const TemporaryFolder& folder) {
  std::string all;
  for (const char* name : kFiles) all += std::string(name) + "\n" + read_text(folder / name);
  return all;
}

std::string unbroken(std::int64_t steps) {
  const TemporaryFolder folder;
  RunLogs logs(folder.path(), options());
  for (std::int64_t step = 1; step <= steps; ++step) log_step(logs, step);
  return contents(folder);
}

TEST(RunLogs, TellTheBestEvaluationAndKnowItAfterAResume) {
  const TemporaryFolder folder;
  const std::int64_t lengths[] = {1, 1};
  const double nan = std::nan("");
  Tensors state;
  {
    RunLogs logs(folder.path(), options());
    EXPECT_FALSE(logs.evaluation(1, std::vector<double>{nan, 1}, lengths));
    EXPECT_TRUE(logs.evaluation(2, std::vector<double>{-3, -5}, lengths));
    EXPECT_TRUE(logs.evaluation(3, std::vector<double>{1, 3}, lengths));
    EXPECT_FALSE(logs.evaluation(4, std::vector<double>{2, 2}, lengths));  // as good, but later
    StateWriter out(state);
    logs.save(out);
    EXPECT_TRUE(logs.evaluation(5, std::vector<double>{9, 9}, lengths));
  }
  RunLogs logs(folder.path(), options());
  logs.load(StateReader(state, "state"));
  EXPECT_FALSE(logs.evaluation(5, std::vector<double>{1.9, 2}, lengths));
  EXPECT_TRUE(logs.evaluation(6, std::vector<double>{2.5, 2}, lengths));
}

TEST(RunLogs, WriteTheFormatsOfStableBaselines) {
  const TemporaryFolder folder;
  RunLogs logs(folder.path(), options());
  logs.episode(1.5, 20, 20);
  logs.episode(-2, 7, 27);
  EXPECT_EQ(read_text(folder / "monitor.csv"),
            "#{\"t_start\":0.0,\"env_id\":\"minatar/breakout\"}\nr,l,t\n1.5,20,20\n-2,7,27\n");
  const double returns[] = {3, 0.1};
  const std::int64_t lengths[] = {5, 6};
  logs.evaluation(1000, returns, lengths);
  EXPECT_EQ(read_text(folder / "evaluations.csv"),
            "timesteps,episode,return,length\n1000,0,3,5\n1000,1,0.1,6\n");
  const auto arrays = load_npz(folder / "evaluations.npz");
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(arrays[0].first, "timesteps");
  EXPECT_EQ(arrays[1].first, "results");
  EXPECT_EQ(arrays[2].first, "ep_lengths");
  EXPECT_EQ(arrays[1].second.shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(arrays[1].second.as<double>()[1], 0.1);
  EXPECT_EQ(arrays[2].second.as<std::int64_t>()[1], 6);
}

TEST(RunLogs, AColumnMayAppearLater) {
  const TemporaryFolder folder;
  RunLogs logs(folder.path(), options());
  logs.progress(10, {{"a", 1}});
  EXPECT_EQ(read_text(folder / "progress.csv"), "time/total_timesteps,a\n10,1\n");
  logs.progress(20, {{"b", 0.5}, {"c", std::nan("")}, {"a", 2}});
  logs.progress(30, {{"c", 3}});
  EXPECT_EQ(read_text(folder / "progress.csv"),
            "time/total_timesteps,a,b,c\n10,1,,\n20,2,0.5,nan\n30,,,3\n");
}

TEST(RunLogs, TensorboardHasTheSameScalars) {
  const TemporaryFolder folder;
  RunLogs logs(folder.path(), options());
  logs.progress(10, {{"train/loss", 0.5}});
  logs.progress(20, {{"train/loss", 0.25}});
  const auto events = decode_events(read_file(folder / "events.out.tfevents.0.tarl"), "events");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[2].step, 20);
  EXPECT_EQ(events[2].scalars,
            (std::vector<Scalar>{{"time/total_timesteps", 20}, {"train/loss", 0.25}}));
  EXPECT_EQ(events[2].wall_time - events[1].wall_time, 10);
}

TEST(RunLogs, EqualRunsAreEqualFiles) {
  EXPECT_EQ(unbroken(70), unbroken(70));
}

// Saved at one step, killed at a later one, resumed: for every pair of steps the final files are
// equal.
TEST(RunLogs, AResumeEndsInTheFilesOfAnUnbrokenRun) {
  constexpr std::int64_t kSteps = 90;
  const std::string expected = unbroken(kSteps);
  for (const std::int64_t saved : {0, 1, 9, 10, 29, 30, 45, 59, 60, 89}) {
    for (const std::int64_t killed :
         {saved, saved + 1, std::int64_t{35}, std::int64_t{65}, kSteps}) {
      if (killed < saved) continue;
      const TemporaryFolder folder;
      Tensors state;
      {
        RunLogs logs(folder.path(), options());
        for (std::int64_t step = 1; step <= killed; ++step) {
          if (step == saved + 1) {
            StateWriter out(state);
            logs.save(out);
          }
          log_step(logs, step);
        }
        if (killed == saved) {
          StateWriter out(state);
          logs.save(out);
        }
      }
      RunLogs logs(folder.path(), options());
      logs.load(StateReader(state, "state"));
      for (std::int64_t step = saved + 1; step <= kSteps; ++step) log_step(logs, step);
      ASSERT_EQ(contents(folder), expected) << "saved " << saved << ", killed " << killed;
    }
  }
}

TEST(RunLogs, ARunThatStartsAgainFromTheBeginningStartsItsFilesAgain) {
  const TemporaryFolder folder;
  {
    RunLogs logs(folder.path(), options());
    for (std::int64_t step = 1; step <= 50; ++step) log_step(logs, step);
  }
  const std::string before = contents(folder);
  RunLogs logs(folder.path(), options());
  EXPECT_EQ(contents(folder), before) << "constructing must not touch what load() may need";
  for (std::int64_t step = 1; step <= 20; ++step) log_step(logs, step);
  EXPECT_EQ(contents(folder), unbroken(20));
}

TEST(RunLogs, RefuseFilesThatAreNotTheOnesTheyWrote) {
  const TemporaryFolder folder;
  Tensors state;
  {
    RunLogs logs(folder.path(), options());
    for (std::int64_t step = 1; step <= 40; ++step) log_step(logs, step);
    StateWriter out(state);
    logs.save(out);
  }
  const auto load = [&] {
    return error_of([&] { RunLogs(folder.path(), options()).load(StateReader(state, "state")); });
  };
  EXPECT_EQ(load(), "");
  const std::string progress = read_text(folder / "progress.csv");
  write_file_durably(folder / "progress.csv", "x" + progress);
  EXPECT_NE(load().find("progress.csv is not the file"), std::string::npos);
  write_file_durably(folder / "progress.csv", progress.substr(0, progress.size() - 1));
  EXPECT_NE(load().find("progress.csv has"), std::string::npos);
  write_file_durably(folder / "progress.csv", progress);
  fs::remove(folder / "monitor.csv");
  EXPECT_NE(load().find("monitor.csv"), std::string::npos);
}

TEST(RunLogs, WhatIsTurnedOffIsNotWritten) {
  const TemporaryFolder folder;
  RunLogs logs(folder.path(), {.env_id = "x", .tensorboard = false, .csv = false});
  for (std::int64_t step = 1; step <= 10; ++step) log_step(logs, step);
  Tensors state;
  StateWriter out(state);
  logs.save(out);
  EXPECT_TRUE(fs::exists(folder / "evaluations.npz"));
  for (const char* name : {"progress.csv", "monitor.csv", "evaluations.csv"}) {
    EXPECT_FALSE(fs::exists(folder / name)) << name;
  }
  EXPECT_FALSE(fs::exists(folder / "events.out.tfevents.0.tarl"));
  RunLogs again(folder.path(), {.env_id = "x", .tensorboard = false, .csv = false});
  again.load(StateReader(state, "state"));
  log_step(again, 20);
  EXPECT_EQ(load_npz(folder / "evaluations.npz")[0].second.count(), 2U);
}

// Ten steps of a run resumed with these logs on or off; what it saved at the end.
Tensors ten_steps(const TemporaryFolder& folder, bool on, const Tensors* saved, std::int64_t from) {
  RunLogs logs(folder.path(), {.env_id = "x", .tensorboard = on, .csv = on});
  if (saved != nullptr) logs.load(StateReader(*saved, "state"));
  for (std::int64_t step = from + 1; step <= from + 10; ++step) log_step(logs, step);
  Tensors state;
  StateWriter out(state);
  logs.save(out);
  return state;
}

std::int64_t last_event(const TemporaryFolder& folder) {
  return decode_events(read_file(folder / "events.out.tfevents.0.tarl"), "events").back().step;
}

TEST(RunLogs, WhatIsTurnedOffAndOnAgainIsContinuedWithAGap) {
  const TemporaryFolder folder;
  const Tensors on = ten_steps(folder, true, nullptr, 0);
  const std::string monitor = read_text(folder / "monitor.csv");
  const std::string evaluations = read_text(folder / "evaluations.csv");
  const std::string progress = read_text(folder / "progress.csv");
  ten_steps(folder, true, &on, 10);  // of a process that was killed: not saved
  const Tensors off = ten_steps(folder, false, &on, 10);
  const Tensors still_off = ten_steps(folder, false, &off, 20);
  for (int attempt = 0; attempt < 2; ++attempt) {  // as after a kill, too
    ten_steps(folder, true, &still_off, 30);
    EXPECT_EQ(read_text(folder / "monitor.csv"),
              monitor + "3.3000000000000003,6,33\n3.6,2,36\n3.9000000000000004,5,39\n");
    EXPECT_EQ(read_text(folder / "evaluations.csv").rfind(evaluations + "40,0,", 0), 0U);
    EXPECT_EQ(read_text(folder / "progress.csv").rfind("time/total_timesteps,eval/mean_reward,", 0),
              0U);
    EXPECT_EQ(last_event(folder), 40);
    EXPECT_EQ(load_npz(folder / "evaluations.npz")[0].second.count(), 4U);
  }
  EXPECT_EQ(progress.rfind("time/total_timesteps,eval/mean_reward\n10,", 0), 0U);
}

TEST(RunLogs, WhatIsTurnedOnLaterStartsThere) {
  const TemporaryFolder folder;
  const Tensors off = ten_steps(folder, false, nullptr, 0);
  write_file_durably(folder / "monitor.csv", std::string_view("of another run"));
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Tensors on = ten_steps(folder, true, &off, 10);
    EXPECT_EQ(read_text(folder / "monitor.csv"),
              "#{\"t_start\":0.0,\"env_id\":\"x\"}\nr,l,t\n1.2000000000000002,6,12\n1.5,2,15\n"
              "1.8,5,18\n");
    EXPECT_EQ(last_event(folder), 20);
    EXPECT_EQ(load_npz(folder / "evaluations.npz")[0].second.count(), 2U);
    const Tensors off_again = ten_steps(folder, false, &on, 20);
    EXPECT_EQ(last_event(folder), 20);
    ten_steps(folder, true, &off_again, 30);
    EXPECT_EQ(last_event(folder), 40);
  }
}

TEST(RunLogs, NothingIsWrittenByNameOnceTheFolderIsLost) {
  const TemporaryFolder folder;
  bool lost = false;
  LogOptions options{.env_id = "x"};
  options.check = [&] {
    if (lost) throw Error("lost");
  };
  RunLogs logs(folder.path(), options);
  for (std::int64_t step = 1; step <= 10; ++step) log_step(logs, step);
  lost = true;
  for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
  const double returns[] = {1, 2};
  const std::int64_t lengths[] = {1, 2};
  EXPECT_EQ(error_of([&] { logs.evaluation(20, returns, lengths); }), "lost");
  EXPECT_EQ(error_of([&] { logs.progress(20, {{"new column", 1}}); }), "lost");
  Tensors state;
  StateWriter out(state);
  EXPECT_EQ(error_of([&] { logs.save(out); }), "lost");
  RunLogs late(folder.path(), options);
  EXPECT_EQ(error_of([&] { late.episode(1, 1, 1); }), "lost");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RunLogs, EvaluationsHaveOneNumberOfEpisodes) {
  const TemporaryFolder folder;
  RunLogs logs(folder.path(), options());
  const double returns[] = {1, 2};
  const std::int64_t lengths[] = {1, 2};
  logs.evaluation(1, returns, lengths);
  EXPECT_THROW(logs.evaluation(2, std::span(returns).first(1), std::span(lengths).first(1)),
               std::logic_error);
}

}  // namespace

}  // namespace tarl::store
