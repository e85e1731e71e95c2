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

// What is called is called in the thread that trains, and may be empty.
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
  store::LogWatch watch = {};                                // what is logged, on disk or not
};

enum class RunEnd { kFinished, kAlreadyFinished, kStopped };

struct RunOutcome {
  RunEnd end = RunEnd::kFinished;
  std::int64_t step = 0;
  double last_evaluation = 0;
};

// A run that a program holds while it trains, to look at it and to go on with it. In its folder it
// is what run_training() makes; without one it lives in memory. One thread at a time.
class Run {
 public:
  // Touches nothing on disk. Throws UsageError where the settings do not fit the environment or the
  // machine.
  explicit Run(RunRequest request);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Takes the folder, and goes on from its newest good checkpoint where the request says resume.
  // Throws as run_training(). Does nothing in memory, or a second time.
  void open();

  // Trains, from where it is, to the last step of its settings or until `stop` says so; opens the
  // folder first. Throws Error after an exception that came out of a step: what it left is half
  // done.
  RunOutcome train();

  // What a run that was not opened may still choose: how long it is, its evaluations, and the steps
  // between rows of its log. Throws UsageError where the evaluations do not fit into the steps.
  void plan(std::int64_t steps, const EvalConfig& eval, std::int64_t log_every);

  // How long the run is: freely before it is opened, from then on as an extension (extend.h), which
  // throws UsageError where it would be shorter.
  void set_steps(std::int64_t steps);

  const RunConfig& config() const { return config_; }

  Loop& loop() { return loop_; }

  const Loop& loop() const { return loop_; }

  const store::Evaluations& evaluations() const { return logs().evaluations(); }

  // Everything of a run in memory, to the bit. Loading needs a run of the same settings that has
  // not trained yet.
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
  RunConfig config_;  // the request's; how long it is may change
  double last_evaluation_ = 0;
  std::int64_t saved_step_ = -1;
  std::int64_t written_ = 0;  // sealed segments of the replay up to this one are on disk
  bool opened_ = false;
  bool broken_ = false;  // an exception came out of a step
  Team team_;
  std::unique_ptr<RunFolder> folder_;            // null in memory
  std::unique_ptr<store::RunLogs> memory_logs_;  // where there is no folder
  Loop loop_;
};

// Trains one run in its folder (docs/run-folder.md), from the start or from its newest good
// checkpoint, until it is finished or `stop` says so. Touches nothing of the process: no signal
// handlers, no global state. Throws UsageError when the folder holds another run, Error when it
// cannot be used or is in use.
//
// An open margin is measured first (margin.h), unless the folder holds the run already: it goes on
// with the margin it has.
RunOutcome run_training(const RunRequest& request);

// What run_training() sees to before it trains, for whoever trains otherwise: throws as it does,
// measures an open margin, and has the outcome of a run that is over already.
std::optional<RunOutcome> settle(RunRequest& request);

// runs/<env>/<algo>/seed<k>, with the margin in the name where the algorithm's name does not say
// it; "auto" while it is open.
fs::path default_folder(const RunConfig& config);

// The config a run folder was started with. Throws Error when there is none.
RunConfig stored_config(const fs::path& folder, const OwnEnv& own_env = {});

}  // namespace tarl::train
