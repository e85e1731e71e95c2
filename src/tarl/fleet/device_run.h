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

// The seam between runs and what computes them on a device: FleetRun, executors and benchmarks know
// no more than this.
namespace tarl::fleet {

struct EndedEpisode {
  double score = 0;
  std::int64_t length = 0, step = 0;
};

// What a slice of steps brought.
struct SliceReport {
  train::LoopPosition position;                       // of the run
  std::int64_t updates = 0;                           // of the run
  train::Means means;                                 // since the last evaluation before the slice
  std::vector<EndedEpisode> episodes;                 // of training, ended in the slice
  std::optional<train::EvaluationScores> evaluation;  // made at the end of the slice
  std::string nonfinite;  // where a NaN or an infinity stopped the run; empty: nowhere
};

// A whole run, copied from the device between two slices.
class RunImage {
 public:
  virtual ~RunImage() = default;

  // What train::Loop saves, but for the recorder's part and the sealed segments of the replay.
  virtual void save(StateWriter& out) const = 0;
  virtual const rl::SegmentedRows& replay() const = 0;
};

// One run that lives on a device, where its whole loop is computed in slices of steps. Results do
// not depend on where slices end.
class DeviceRun {
 public:
  virtual ~DeviceRun() = default;

  // Starts a slice that ends after step `stop` or earlier, at an evaluation for one, and returns at
  // once.
  virtual void start(std::int64_t stop) = 0;

  // Whether the slice has ended. Throws Error when the device failed. Work of the host that the
  // slice waits for is done here.
  virtual bool ended() = 0;

  // Once for each slice that has ended. An evaluation in it starts the means anew.
  virtual SliceReport report() = 0;

  // Between slices.
  virtual std::unique_ptr<RunImage> download() = 0;
  virtual Tensors parameters() = 0;  // of the model file, without the rest of the run

  // After a report of `nonfinite`: the transitions it was met in.
  virtual rl::Sample suspects() = 0;
};

// Where a run goes on, or begins.
struct SavedRun {
  StateReader loop;                                       // what train::Loop saves
  std::function<void(rl::SegmentedRows&)> load_segments;  // of the replay
  const train::Means& means;                              // the recorder's
};

// A kind of run that can be computed on a device.
struct DeviceProgram {
  const char* name;
  // Whether it is made for runs of this kind, if not for this one.
  bool (*concerns)(const train::RunConfig& config);
  // Why it cannot compute this run, in a few words; empty where it can.
  std::string (*why_not)(const train::RunConfig& config);
  // Both require why_not(config) to be empty. make() throws Error where there is no device.
  Needs (*needs)(const train::RunConfig& config);
  std::unique_ptr<DeviceRun> (*make)(const train::RunConfig& config, const SavedRun& saved);
  Cards cards{};  // that its kernels run on
};

std::span<const DeviceProgram> programs();

// Why a card cannot run a program, in a few words; empty where it can.
std::string why_not_on(const Capability& card, const DeviceProgram& program);

bool runs_any_program(const Capability& card);

// Of this machine's device: why it cannot run the program of that config. Empty where it can.
// Requires why_not(config) to be empty.
std::string why_not_here(const train::RunConfig& config, const DeviceInfo& device);

// Why no program can compute this run; empty where one can. Where one is made for its kind, it is
// that one's reason.
std::string why_not(const train::RunConfig& config);

// The first program that can. Throws UsageError where none can.
const DeviceProgram& program_for(const train::RunConfig& config);

}  // namespace tarl::fleet
