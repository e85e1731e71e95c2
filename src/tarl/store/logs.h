// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"
#include "tarl/store/evaluations.h"
#include "tarl/store/progress_csv.h"
#include "tarl/store/timing_log.h"
#include "tarl/store/trace.h"

namespace tarl::store {

// Where TensorBoard's time axis starts: 2020-01-01, for every run.
inline constexpr double kEventEpoch = 1577836800.0;

// A row of progress.csv: tags and values.
using LogRow = std::vector<std::pair<std::string, double>>;

// Observers of everything that is logged, called after it is logged. Each may be empty.
struct LogWatch {
  std::function<void(double ret, std::int64_t length, std::int64_t step)> episode;
  std::function<void(std::int64_t step, const LogRow& row)> row;
  std::function<void(std::int64_t step, std::span<const double> returns,
                     std::span<const std::int64_t> lengths)>
      evaluation;
};

struct LogOptions {
  std::string env_id;
  bool tensorboard = true;  // events.out.tfevents.0.tarl
  bool csv = true;          // progress.csv, monitor.csv, evaluations.csv
  bool trace = false;       // trace.npz

  // For timing.csv, which is not written without it. May be empty.
  TimingLog::Clock clock{};

  // Called before a file is created, replaced or made durable; throws if the folder no longer
  // belongs to this run. May be empty.
  std::function<void()> check{};

  LogWatch watch{};
};

// The log files of a run (docs/run-folder.md) in Stable-Baselines3's formats. Their content depends
// on the run alone, never on the clock: equal runs write equal bytes.
//
// The files of an earlier attempt stay as they are until the first call: load() continues them from
// the saved position, any other call starts them anew.
//
// Without a folder nothing is written: evaluations are kept, and the watch is called.
//
// A log that is off is left alone. Saved positions keep its length, so that a run resumed with it
// on again continues it there, with a gap; one without a saved position starts anew.
class RunLogs {
 public:
  RunLogs(fs::path folder, LogOptions options);

  // A finished training episode and the environment step at which it ended.
  void episode(double ret, std::int64_t length, std::int64_t step);

  // One row of progress.csv and one TensorBoard event; the step is added as the first column,
  // time/total_timesteps, unless the row has it. New columns may appear at any time.
  void progress(std::int64_t step, const LogRow& row);

  // The episodes of one evaluation, the same number each time. evaluations.npz is durable after it.
  // Returns whether its mean is above that of every earlier one.
  bool evaluation(std::int64_t step, std::span<const double> returns,
                  std::span<const std::int64_t> lengths);

  const Evaluations& evaluations() const { return made_; }

  // The run's progress when it begins or resumes, and at each row of progress.csv.
  void begin_timing(std::int64_t step, std::int64_t updates);
  void timing(std::int64_t step, std::int64_t updates);

  // The candidates of some updates. Requires a trace that is on.
  void trace(const Trace& updates);

  // Makes every file durable and saves its length.
  void save(StateWriter& out);

  // The run has ended: makes every file durable and writes trace.npz.
  void finish();

  // Truncates every file to its length at save(): after a kill and a resume the files become those
  // of an uninterrupted run. Throws Error if a file is missing or shorter than it was.
  void load(const StateReader& in);

 private:
  // A file with a fixed header that only grows.
  struct Log {
    const char* name;
    std::string header;
    std::unique_ptr<AppendFile> file{};     // null if the options turn it off
    std::optional<std::uint64_t> length{};  // of a file that is off, when it was last on
  };

  void start();
  void begin(Log& log) const;
  void write_npz() const;
  void save_log(Log& log, StateWriter& out) const;
  void load_log(Log& log, bool on, const StateReader& in) const;
  void check() const;

  bool on_disk() const { return !folder_.empty(); }

  fs::path folder_;
  LogOptions options_;
  bool started_ = false;
  Evaluations made_;
  ProgressCsv progress_;
  TimingLog timing_;
  Log monitor_;
  Log evaluations_;
  Log events_;
  TraceLog trace_;
};

}  // namespace tarl::store
