// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tarl/core/files.h"
#include "tarl/store/logs.h"
#include "tarl/train/config.h"
#include "tarl/train/loop.h"
#include "tarl/train/run_folder.h"

namespace tarl::train {

// Callbacks run in the training thread and may be empty.
struct RunRequest {
  RunConfig config;
  fs::path folder;
  bool resume = false;
  int threads = 1;
  std::function<bool()> stop;  // polled in every phase; true: write a checkpoint and return
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> notice;       // one line for the user (damage found, ...)
  std::function<void(std::int64_t step)> stepped = {};  // after every step
  std::function<void(std::int64_t step)> checkpointed = {};  // a checkpoint is on disk
  store::LogWatch watch = {};                                // receives what is logged
};

enum class RunEnd { kFinished, kAlreadyFinished, kStopped };

struct RunOutcome {
  RunEnd end = RunEnd::kFinished;
  std::int64_t step = 0;
  double last_evaluation = 0;
};

// A run that a program holds on to, to inspect it and to continue it. With a folder it is
// equivalent to run_training(); without one it lives in memory. One thread at a time.
class Run {
 public:
  // Touches nothing on disk. Throws UsageError if the settings do not fit the environment or the
  // machine.
  explicit Run(RunRequest request);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Takes the folder, and continues from its newest good checkpoint if the request says resume.
  // Throws as run_training(). No effect in memory or when called again.
  void open();

  // Trains from the current step to the last one of its settings or until `stop` returns true;
  // opens the folder first. Throws Error after an exception from a step, which leaves an
  // inconsistent state.
  RunOutcome train();

  // What may still be set before a run is opened: its length, its evaluations, and the steps
  // between rows of its log. Throws UsageError if the evaluations do not fit into the steps.
  void plan(std::int64_t steps, const EvalConfig& eval, std::int64_t log_every);

  // Sets the length of the run: freely before it is opened, afterwards as an extension (extend.h),
  // which throws UsageError if it would be shorter.
  void set_steps(std::int64_t steps);

  const RunConfig& config() const { return config_; }

  Loop& loop() { return loop_; }

  const Loop& loop() const { return loop_; }

  const store::Evaluations& evaluations() const { return logs().evaluations(); }

  // The complete state of a run in memory, bit-exact. Loading needs an untrained run with the same
  // settings.
  void save(StateWriter& out);
  void load(const StateReader& in);

 private:
  store::RunLogs& logs() const { return folder_ ? folder_->logs() : *memory_logs_; }

  void show(const Progress& progress);
  void stepped();
  void restore();
  void tell_restarts();
  void checkpoint();
  void save_best(double mean);
  void write_segments();
  void warn_without_updates() const;
  LoopResult run_loop();
  RunOutcome finish(LoopResult result);

  const RunRequest request_;
  RunConfig config_;  // the request's; its length may change
  double last_evaluation_ = 0;
  std::int64_t saved_step_ = -1;
  std::int64_t written_ = 0;  // sealed replay segments up to this one are on disk
  bool opened_ = false;
  bool broken_ = false;  // a step threw
  Team team_;
  std::unique_ptr<RunFolder> folder_;            // null in memory
  std::unique_ptr<store::RunLogs> memory_logs_;  // if there is no folder
  Loop loop_;
};

// Trains one run in its folder (docs/run-folder.md), from the start or from its newest good
// checkpoint, until it is finished or `stop` returns true. Touches no process-wide state: no signal
// handlers, no globals. Throws UsageError if the folder holds another run, Error if it cannot be
// used or is in use.
//
// An open margin is measured first (margin.h), unless the folder already holds the run, which keeps
// its margin.
RunOutcome run_training(const RunRequest& request);

// The preparation of run_training(), for other ways to train: throws as it does, measures an open
// margin, and returns the outcome of a run that is already finished.
std::optional<RunOutcome> settle(RunRequest& request);

// runs/<env>/<algo>/seed<k>, with the margin in the name if the algorithm's name does not imply it;
// "auto" while it is open.
fs::path default_folder(const RunConfig& config);

// The config a run folder was started with. Throws Error if there is none.
RunConfig stored_config(const fs::path& folder, const OwnEnv& own_env = {});

}  // namespace tarl::train
