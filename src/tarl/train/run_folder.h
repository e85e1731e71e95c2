// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/formats/safetensors.h"
#include "tarl/core/state.h"
#include "tarl/rl/replay.h"
#include "tarl/store/checkpoint.h"
#include "tarl/store/logs.h"
#include "tarl/store/run_info.h"
#include "tarl/store/run_lock.h"
#include "tarl/train/config.h"

namespace tarl::train {

using Notice = std::function<void(const std::string&)>;

// The folder of a run that is being worked on (docs/run-folder.md): its lock, logs, checkpoints,
// run.json and model. Whoever computes the run, on the CPU or elsewhere, keeps its books here. From
// open() on everything throws Error, and writes nothing, once the folder was moved, removed or
// replaced: what has its path then is another run's.
class RunFolder {
 public:
  // Touches nothing yet. `config` outlives it. What people should know but nothing fails over is
  // told to `notice`.
  RunFolder(fs::path folder, const RunConfig& config, Notice notice, store::LogWatch watch = {});

  // Takes the lock, writes config.toml or compares with the one that is there. Throws UsageError
  // where the folder holds another run, Error where it is in use.
  void open();

  store::RunLogs& logs() { return logs_; }

  const fs::path& path() const { return folder_; }

  // The newest good checkpoint (what checkpoint() wrote is its group "loop") with the logs cut back
  // to it, or nothing where there is none yet. Throws Error where all of them are damaged,
  // UsageError where it was computed with other settings than config.toml has. Where the config
  // wants an extension, `extend_at` writes the checkpoint's step into it, and config.toml follows;
  // throws UsageError, with nothing changed, where a finished run has no checkpoint to go on from.
  std::optional<store::Loaded> restore(const std::function<void(std::int64_t)>& extend_at = {});

  // Whether run.json said so when the folder was opened.
  bool was_finished() const { return finished_; }

  // The run becomes longer, as its settings say by now: config.toml follows.
  void begin_extension();

  // A durable checkpoint; `save_loop` fills the group "loop". Throws NonFiniteError where the agent
  // in it is not finite.
  void checkpoint(std::int64_t step, const std::function<void(StateWriter&)>& save_loop,
                  const std::vector<store::Segment>& segments = {});

  // The run goes on, but not to the bit: run.json says so from now on.
  void note_inexact() { info_.exact = false; }

  // Writes segments of the next checkpoint before it is due.
  void write_ahead(const std::vector<store::Segment>& segments);

  // Writes the transitions in which a NaN or an infinity was met to a file. Returns what to add to
  // the error: where they are.
  std::string save_suspects(const rl::Sample& sample) const;

  // best_model.safetensors: the parameters at the best evaluation so far. Throws NonFiniteError
  // where they are not finite.
  void save_best(std::int64_t step, const Tensors& parameters, double mean_return);

  // Durable logs, model.safetensors, status finished; the checkpoints go unless they are to be
  // kept.
  void finish(std::int64_t step, const Tensors& parameters);

  void write_status(store::RunStatus status, const std::string& error);
  // Where writing is what failed, the first error is the one to tell; but a lost folder explains
  // every other, and is thrown.
  void try_write_status(store::RunStatus status, const std::string& error);

 private:
  double training_seconds() const;
  void check_lock() const;
  void save_tensors(const fs::path& path, const SafetensorsFile& file) const;
  void refuse_extension_without_state() const;

  fs::path folder_;
  const RunConfig& config_;
  Notice notice_;
  std::optional<store::RunLock> lock_;
  store::RunInfo info_;
  bool finished_ = false;  // before it was opened
  double seconds_before_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  store::RunLogs logs_;
  store::CheckpointStore store_;
};

// config.toml may have been edited by hand since a checkpoint was computed: going on would mix two
// runs. Throws UsageError with what differs from `config`.
void check_computed_with(const fs::path& folder, const RunConfig& config,
                         const store::Loaded& found);

// Throws UsageError with the settings that differ from the folder's config.toml, if it has one.
void check_settings(const fs::path& folder, const RunConfig& config);

// Writes config.toml where there is none, or where nothing but cosmetic settings differ.
void write_settings(const fs::path& folder, const RunConfig& config);

// Whether run.json says so and the model is there. Throws UsageError where `config` wants another
// number of steps than the run had.
bool is_finished(const fs::path& folder, const RunConfig& config, const Notice& notice = {});

// Whether a run has its model, no checkpoint to go on from and no readable run.json: it is
// finished, and lacks only the record of it.
bool has_model_alone(const fs::path& folder);

}  // namespace tarl::train
