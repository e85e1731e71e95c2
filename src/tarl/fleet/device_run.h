// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/needs.h"
#include "tarl/rl/replay.h"
#include "tarl/train/config.h"
#include "tarl/train/evaluate.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/means.h"

// The interface between runs and the programs that compute them on a device: all that FleetRun,
// executors and benchmarks know.
namespace tarl::fleet {

struct EndedEpisode {
  double score = 0;
  std::int64_t length = 0, step = 0;
};

// The results of a slice of steps.
struct SliceReport {
  train::LoopPosition position;                       // of the run
  std::int64_t updates = 0;                           // of the run
  train::Means means;                                 // since the last evaluation before the slice
  std::vector<EndedEpisode> episodes;                 // training episodes that ended in the slice
  std::optional<train::EvaluationScores> evaluation;  // made at the end of the slice
  std::string nonfinite;  // where a NaN or Inf stopped the run; empty if none did
};

// A complete run, copied from the device between two slices.
class RunImage {
 public:
  virtual ~RunImage() = default;

  // What train::Loop saves, without the recorder's part and the replay's sealed segments.
  virtual void save(StateWriter& out) const = 0;
  virtual const rl::SegmentedRows& replay() const = 0;
};

// A run on a device, which executes the whole loop in slices of steps. Results do not depend on
// where slices end.
class DeviceRun {
 public:
  virtual ~DeviceRun() = default;

  // Starts a slice that ends at step `stop` or earlier, for example at an evaluation. Returns
  // immediately.
  virtual void start(std::int64_t stop) = 0;

  // Whether the slice has ended. Throws Error if the device failed. Also does the host's share of
  // the slice's work, so it must be called repeatedly.
  virtual bool ended() = 0;

  // Call once per ended slice. The means restart after an evaluation.
  virtual SliceReport report() = 0;

  // Requires that no slice is running.
  virtual std::unique_ptr<RunImage> download() = 0;
  virtual Tensors parameters() = 0;  // those of the model file only

  // The transitions of the failed update. Requires a report with `nonfinite`.
  virtual rl::Sample suspects() = 0;
};

// The state from which a run starts or resumes.
struct SavedRun {
  StateReader loop;                                       // what train::Loop saves
  std::function<void(rl::SegmentedRows&)> load_segments;  // loads the replay's sealed segments
  const train::Means& means;                              // of the recorder
};

// A kind of run that can be computed on a device.
struct DeviceProgram {
  const char* name;
  // Whether the program is meant for this kind of run, even if it cannot run this one.
  bool (*concerns)(const train::RunConfig& config);
  // Why it cannot run this, in a few words; empty if it can.
  std::string (*why_not)(const train::RunConfig& config);
  // Both require why_not(config) to be empty. make() throws Error if there is no device.
  Needs (*needs)(const train::RunConfig& config);
  std::unique_ptr<DeviceRun> (*make)(const train::RunConfig& config, const SavedRun& saved);
  Cards cards{};  // the GPUs its kernels run on
};

std::span<const DeviceProgram> programs();

// Why a GPU cannot run a program, in a few words; empty if it can.
std::string why_not_on(const Capability& card, const DeviceProgram& program);

bool runs_any_program(const Capability& card);

// Why this machine's device cannot run the config's program; empty if it can. Requires
// why_not(config) to be empty.
std::string why_not_here(const train::RunConfig& config, const DeviceInfo& device);

// Why no program can run this; empty if one can. If a program is meant for this kind of run, its
// reason is returned.
std::string why_not(const train::RunConfig& config);

// The first program that can run this. Throws UsageError if none can.
const DeviceProgram& program_for(const train::RunConfig& config);

}  // namespace tarl::fleet
