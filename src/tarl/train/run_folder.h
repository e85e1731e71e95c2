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

// The folder of a run in progress (docs/run-folder.md): its lock, logs, checkpoints, run.json and
// model, whether the run is computed on the CPU or elsewhere. After open(), once the folder has
// been moved, removed or replaced, every function throws Error and writes nothing: its path then
// belongs to another run.
class RunFolder {
 public:
  // Touches nothing yet. `config` outlives it. `notice` receives warnings.
  RunFolder(fs::path folder, const RunConfig& config, Notice notice, store::LogWatch watch = {});

  // Takes the lock; writes config.toml or compares it with the existing one. Throws UsageError if
  // the folder holds another run, Error if it is in use.
  void open();

  store::RunLogs& logs() { return logs_; }

  const fs::path& path() const { return folder_; }

  // The newest good checkpoint (checkpoint() wrote its group "loop") with the logs truncated to it;
  // empty if there is none yet. Throws Error if all of them are damaged, UsageError if it was
  // computed with settings other than config.toml's. If the config asks for an extension,
  // `extend_at` writes the checkpoint's step into it, and config.toml follows; throws UsageError,
  // with nothing changed, if a finished run has no checkpoint to continue from.
  std::optional<store::Loaded> restore(const std::function<void(std::int64_t)>& extend_at = {});

  // Whether run.json said finished when the folder was opened.
  bool was_finished() const { return finished_; }

  // Begins the extension that the settings already contain: updates config.toml.
  void begin_extension();

  // A durable checkpoint; `save_loop` fills the group "loop". Throws NonFiniteError if the agent in
  // it is not finite.
  void checkpoint(std::int64_t step, const std::function<void(StateWriter&)>& save_loop,
                  const std::vector<store::Segment>& segments = {});

  // The run continues, but not bit-exactly: records that in run.json.
  void note_inexact() { info_.exact = false; }

  // Writes segments of the next checkpoint before it is due.
  void write_ahead(const std::vector<store::Segment>& segments);

  // Writes the transitions that contain a NaN or Inf to a file. Returns text for the error message
  // that says where they are.
  std::string save_suspects(const rl::Sample& sample) const;

  // best_model.safetensors: the parameters at the best evaluation so far. Throws NonFiniteError if
  // they are not finite.
  void save_best(std::int64_t step, const Tensors& parameters, double mean_return);

  // Makes the logs durable, writes model.safetensors and status finished; removes the checkpoints
  // unless they are to be kept.
  void finish(std::int64_t step, const Tensors& parameters);

  void write_status(store::RunStatus status, const std::string& error);
  // If writing is what failed, the first error is the one to report; but a lost folder, which
  // explains every other error, is thrown.
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

// config.toml may have been edited by hand since a checkpoint was computed; continuing would mix
// two runs. Throws UsageError with the differences from `config`.
void check_computed_with(const fs::path& folder, const RunConfig& config,
                         const store::Loaded& found);

// Throws UsageError with the settings that differ from the folder's config.toml, if it has one.
void check_settings(const fs::path& folder, const RunConfig& config);

// Writes config.toml if there is none, or if only cosmetic settings differ.
void write_settings(const fs::path& folder, const RunConfig& config);

// Whether run.json says finished and the model exists. Throws UsageError if `config` has a
// different number of steps than the run.
bool is_finished(const fs::path& folder, const RunConfig& config, const Notice& notice = {});

// Whether a run has its model, no checkpoint to continue from and no readable run.json: it is
// finished but lacks the record of it.
bool has_model_alone(const fs::path& folder);

}  // namespace tarl::train
