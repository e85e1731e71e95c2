// SPDX-License-Identifier: MIT
#include "tarl/study/executors/local_executor.h"

#include <map>
#include <thread>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/executors/child_process.h"
#include "tarl/study/executors/signal_queue.h"
#include "tarl/study/results/run_state.h"

namespace tarl::study {
namespace {

using Kind = RunEvent::Kind;

// A stand-in for `tarl train`: behaves as the file `behaviour` beside the run folders says, and
// counts its starts in the folder. Called as: sh fake train --resume --out FOLDER
constexpr const char* kFake = R"sh(
folder=$4
echo life >>"$folder/lives"
lives=$(wc -l <"$folder/lives")
case $(cat "$folder/../../../../../behaviour-$(basename "$(dirname "$folder")")" 2>/dev/null) in
  killed-twice) [ "$lives" -gt 2 ] || kill -9 $$ ;;
  always-killed) kill -9 $$ ;;
  not-finite) echo "tarl: the loss is not finite"; exit 3 ;;
  bad-settings) echo "tarl: no such setting"; exit 2 ;;
  frozen) trap 'exit 75' TERM; echo $$ >"$folder/frozen"; kill -STOP $$; exit 1 ;;
  long) trap 'echo checkpoint >>"$folder/lives"; exit 75' TERM; touch "$folder/ready"; while :; do sleep 0.05; done ;;
esac
exit 0
)sh";

struct Fixture : ::testing::Test {
  Fixture() {
    write_file_durably(scratch / "fake", kFake);
    options.program = {"/bin/sh", (scratch / "fake").string()};
    options.retry_delay = std::chrono::milliseconds(1);
    options.jobs = 2;
    const Study study =
        apply_request(find_study("minatar-replay"), {.seeds = 1, .envs = {"minatar/breakout"}});
    runs = plan(study, scratch / "out");
  }

  void behave(const std::string& slug, const std::string& how) {
    write_file_durably(scratch / ("behaviour-" + slug), how);
  }

  Execution execute() {
    SignalQueue signals;
    return LocalExecutor(options).execute(
        runs, {.pause = [&](auto longest) { return signals.pause(longest) + stop_requests(); },
               .event = [&](const RunEvent& event) { ++events[event.run->label][event.kind]; },
               .tick = [] {}});
  }

  virtual int stop_requests() { return 0; }

  std::size_t lives(const std::string& slug) {
    const std::string text =
        read_text(scratch / "out" / "minatar" / "breakout" / slug / "seed0" / "lives");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  test::TemporaryFolder scratch;
  LocalOptions options;
  std::vector<PlannedRun> runs;
  std::map<std::string, std::map<Kind, int>> events;
};

using LocalExecutorTest = Fixture;

TEST_F(LocalExecutorTest, BringsEveryRunToItsEnd) {
  EXPECT_EQ(execute(), Execution::kFinished);
  for (const PlannedRun& run : runs) {
    EXPECT_EQ(events[run.label][Kind::kStarted], 1);
    EXPECT_EQ(events[run.label][Kind::kFinished], 1);
    EXPECT_TRUE(fs::exists(run.folder / "config.toml"));
    EXPECT_TRUE(fs::exists(run.folder / "train.log"));
  }
}

TEST_F(LocalExecutorTest, TriesAKilledRunAgain) {
  behave("ta-dqn", "killed-twice");
  EXPECT_EQ(execute(), Execution::kFinished);
  EXPECT_EQ(lives("ta-dqn"), 3u);
  EXPECT_EQ(events["TA-DQN"][Kind::kRetry], 2);
}

TEST_F(LocalExecutorTest, GivesUpOneRunAndFinishesTheOthers) {
  behave("ta-per", "always-killed");
  EXPECT_EQ(execute(), Execution::kFailed);
  EXPECT_EQ(lives("ta-per"), 4u);
  EXPECT_EQ(events["TA-PER"][Kind::kFailed], 1);
  for (const PlannedRun& run : runs) {
    const bool failed = run.label == "TA-PER";
    EXPECT_EQ(events[run.label][Kind::kFinished], failed ? 0 : 1);
    if (failed) {
      const RunState state = look_at(run);
      EXPECT_EQ(state.phase, RunPhase::kFailed);
      EXPECT_EQ(state.error, "killed by signal 9 (Killed)");
    }
  }
}

TEST_F(LocalExecutorTest, DoesNotRepeatWhatCannotWork) {
  behave("dqn", "bad-settings");
  EXPECT_EQ(execute(), Execution::kFailed);
  EXPECT_EQ(lives("dqn"), 1u);
  EXPECT_EQ(look_at(runs[0]).error, "exit code 2: tarl: no such setting");
}

TEST_F(LocalExecutorTest, DoesNotRepeatARunThatEndedForAValueThatIsNotFinite) {
  behave("dqn", "not-finite");
  EXPECT_EQ(execute(), Execution::kFailed);
  EXPECT_EQ(lives("dqn"), 1u);
  EXPECT_EQ(events["DQN"][Kind::kRetry], 0);
  EXPECT_EQ(look_at(runs[0]).error, "exit code 3: tarl: the loss is not finite");
  EXPECT_EQ(events["TA-DQN"][Kind::kFinished], 1);
}

// Asks to stop as soon as the long runs are ready for it.
struct StoppedFixture : Fixture {
  int stop_requests() override {
    for (const char* slug : {"dqn", "ta-dqn"}) {
      if (!fs::exists(scratch / "out" / "minatar" / "breakout" / slug / "seed0" / "ready"))
        return 0;
    }
    return 1;
  }
};

using StoppedExecutorTest = StoppedFixture;

TEST_F(StoppedExecutorTest, LetsRunsWriteTheirCheckpoint) {
  behave("dqn", "long");
  behave("ta-dqn", "long");
  EXPECT_EQ(execute(), Execution::kStopped);
  EXPECT_EQ(lives("dqn"), 2u);  // one life and its checkpoint
  EXPECT_EQ(events["DQN"][Kind::kStopped], 1);
  EXPECT_EQ(events["DQN+PER"][Kind::kStarted], 0);
}

// Asks to stop as soon as the run of DQN sleeps under SIGSTOP.
struct FrozenFixture : Fixture {
  int stop_requests() override {
    const fs::path file = scratch / "out" / "minatar" / "breakout" / "dqn" / "seed0" / "frozen";
    if (asked) return 1;
    try {
      const std::string pid = read_text(file);
      const std::string stat = read_text("/proc/" + pid.substr(0, pid.find('\n')) + "/stat");
      asked = stat.find(") T ") != std::string::npos;
    } catch (const Error&) {  // not yet there
    }
    return asked ? 1 : 0;
  }

  bool asked = false;
};

using FrozenExecutorTest = FrozenFixture;

TEST_F(FrozenExecutorTest, EndsARunThatIsStopped) {
  behave("dqn", "frozen");
  runs.resize(1);
  EXPECT_EQ(execute(), Execution::kStopped);
  EXPECT_EQ(events["DQN"][Kind::kStopped], 1);
}

TEST_F(LocalExecutorTest, WaitsForWhoeverWorksOnARun) {
  runs.resize(1);
  make_directories(runs[0].folder);
  auto lock = std::make_unique<store::RunLock>(runs[0].folder);
  SignalQueue signals;
  int pauses = 0;
  const Execution result = LocalExecutor(options).execute(
      runs, {.pause =
                 [&](auto longest) {
                   if (++pauses == 3) lock.reset();
                   return signals.pause(longest);
                 },
             .event = [&](const RunEvent& event) { ++events[event.run->label][event.kind]; },
             .tick = [] {}});
  EXPECT_EQ(result, Execution::kFinished);
  EXPECT_EQ(events["DQN"][Kind::kInUse], 1);
  EXPECT_GE(pauses, 4);
  EXPECT_EQ(lives("dqn"), 1u);
}

TEST_F(LocalExecutorTest, RunsNoMoreJobsThanAllowed) {
  options.jobs = 1;
  int at_once = 0, most = 0;
  SignalQueue signals;
  LocalExecutor(options).execute(runs,
                                 {.pause = [&](auto longest) { return signals.pause(longest); },
                                  .event =
                                      [&](const RunEvent& event) {
                                        at_once += event.kind == Kind::kStarted ? 1 : -1;
                                        most = std::max(most, at_once);
                                      },
                                  .tick = [] {}});
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace tarl::study
