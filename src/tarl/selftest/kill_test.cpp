// SPDX-License-Identifier: MIT
#include "tarl/selftest/kill_test.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include <sys/wait.h>

#include "tarl/core/error.h"
#include "tarl/selftest/checkpoint_watch.h"
#include "tarl/store/run_files.h"
#include "tarl/study/executors/child_process.h"

namespace tarl::selftest {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kAimed = 0.75;         // share of the kills that wait for a checkpoint
constexpr int kWritesBetweenKills = 3;  // at most, so that a run makes progress
constexpr const char* kResults[] = {
    store::kModelFile,    store::kBestModelFile, store::kEvaluationsFile, store::kEvaluationsTable,
    store::kProgressFile, store::kMonitorFile,   store::kEventsFile};

bool is_same(const fs::path& one, const fs::path& other) {
  return digest_file(one) == digest_file(other);
}

class KillTest {
 public:
  KillTest(const KillTask& task, const fs::path& scratch, Rng rng, const KillHooks& hooks)
      : task_(task),
        whole_(scratch / "unbroken"),
        broken_(scratch / "broken"),
        log_(scratch / "log"),
        rng_(rng),
        hooks_(hooks) {}

  KillResult run() {
    train_whole();
    while (result_.kills < task_.kills) {
      live_and_die();
      if (hooks_.progress) hooks_.progress(result_);
      if (hooks_.stop && hooks_.stop()) throw Error("stopped before the end");
    }
    finish();
    compare();
    return result_;
  }

 private:
  study::ChildProcess start(const fs::path& folder) const {
    std::vector<std::string> command = task_.command;
    command.insert(command.end(), {"--out", folder.string(), "--resume"});
    return study::ChildProcess({.command = command, .log = log_, .cpu = {}});
  }

  // The uninterrupted run, and how long it and its checkpoints take.
  void train_whole() {
    const Clock::time_point started = Clock::now();
    CheckpointWatch watch(whole_ / store::kCheckpointFolder);
    study::ChildProcess child = start(whole_);
    std::optional<int> end;
    watch.wait_for_writes(1 << 30, [&] { return (end = child.poll()).has_value(); });
    check_end(*end);
    whole_time_ = Clock::now() - started;
    write_time_ = watch.write_time();
  }

  // One process of the interrupted run, ended by a kill or by itself.
  void live_and_die() {
    CheckpointWatch watch(broken_ / store::kCheckpointFolder);
    const auto before = unfinished_writes(broken_ / store::kCheckpointFolder);
    study::ChildProcess child = start(broken_);
    std::optional<int> end;
    const auto over = [&] { return end || (end = child.poll()).has_value(); };
    if (rng_.uniform() < kAimed) {
      const int writes = 1 + static_cast<int>(rng_.below(kWritesBetweenKills));
      if (watch.wait_for_writes(writes, over)) std::this_thread::sleep_for(share_of(write_time_));
    } else {
      std::this_thread::sleep_for(share_of(whole_time_ / 3));
    }
    if (!over()) {
      child.signal(SIGKILL);
      while (!over()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (*end == SIGKILL) {
      ++result_.kills;
      const auto after = unfinished_writes(broken_ / store::kCheckpointFolder);
      result_.inside_write += std::any_of(after.begin(), after.end(), [&](const auto& left) {
        const auto old = before.find(left.first);
        return old == before.end() || old->second != left.second;
      });
      return;
    }
    check_end(*end);
    compare();
    fs::remove_all(broken_);
  }

  Clock::duration share_of(Clock::duration whole) {
    return std::chrono::duration_cast<Clock::duration>(rng_.uniform() * whole);
  }

  void check_end(int end) const {
    if (end != 0)
      throw Error(task_.algo + ": " + study::describe_end(end) + ": " + study::last_line(log_));
  }

  void finish() const {
    study::ChildProcess child = start(broken_);
    std::optional<int> end;
    while (!(end = child.poll())) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    check_end(*end);
  }

  void compare() {
    ++result_.runs;
    for (const char* name : kResults) {
      if (!is_same(whole_ / name, broken_ / name)) result_.differences.push_back(name);
    }
  }

  const KillTask& task_;
  fs::path whole_, broken_, log_;
  Rng rng_;
  const KillHooks& hooks_;
  Clock::duration whole_time_{};
  Clock::duration write_time_{};
  KillResult result_;
};

}  // namespace

KillResult kill_and_compare(const KillTask& task, const fs::path& scratch, Rng rng,
                            const KillHooks& hooks) {
  make_directories(scratch);
  return KillTest(task, scratch, rng, hooks).run();
}

}  // namespace tarl::selftest
