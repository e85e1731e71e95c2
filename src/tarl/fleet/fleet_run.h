// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tarl/fleet/device_run.h"
#include "tarl/train/loop.h"
#include "tarl/train/run_folder.h"
#include "tarl/train/run_recorder.h"

namespace tarl::fleet {

// Short enough to respond to a signal within a second or two, long enough that the launch overhead
// is negligible.
inline constexpr std::int64_t kLongestSlice = 4'000;  // steps

// The last step of the slice after `from`: the next evaluation, the next checkpoint, the end of the
// run or `longest` steps, whichever comes first.
std::int64_t slice_end(const train::RunConfig& config, const train::LoopPosition& from,
                       std::int64_t longest);

// What train::Loop saves of a run before its first step.
Tensors fresh_state(const train::RunConfig& config);

// A run at its start, on the device and without a folder. Throws as FleetRun does.
std::unique_ptr<DeviceRun> new_device_run(const train::RunConfig& config);

// One run of a fleet, computed on the device and recorded in an ordinary run folder: from the start
// or the newest checkpoint to the model file.
class FleetRun {
 public:
  // Throws UsageError if a fleet cannot run the config, Error if the folder is in use or there is
  // no device. A finished run is left unchanged. `config` must outlive the object.
  FleetRun(const train::RunConfig& config, const fs::path& folder,
           const std::function<void(const std::string&)>& notice);

  enum class State { kBusy, kAdvanced, kFinished, kStopped };

  // Services the run: returns at once while a slice is running; otherwise records its results and
  // starts the next one or, with `stop`, saves a checkpoint. Throws NonFiniteError after a
  // non-finite value, with the failed batch in the folder, and Error if the device or the disk
  // failed; run.json then records the reason.
  State poll(bool stop);

  // As of the last slice.
  train::Progress progress() const;

 private:
  State turn(bool stop);
  void note_slice();
  void checkpoint();

  const train::RunConfig& config_;
  const DeviceProgram& program_;
  train::RunFolder folder_;
  train::RunRecorder recorder_;
  train::LoopPosition position_;
  std::unique_ptr<DeviceRun> device_;
  bool over_ = false;  // was finished before; nothing is computed
  bool under_way_ = false;
  bool evaluated_ = false;  // in the last slice
  std::int64_t saved_step_ = -1;
};

}  // namespace tarl::fleet
