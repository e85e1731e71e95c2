// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tarl/fleet/minatar_dqn/agent_image.h"

namespace tarl::fleet {

// What one update looked at, for tests and for the dump after a value that is not finite. An update
// that was stopped by one has what was known by then.
struct LastUpdate {
  std::vector<std::int64_t> index;  // [m + b] slots drawn
  std::vector<float> weight;        // [m + b] raw importance weights
  std::vector<float> q, y_online, y_offline;
  std::vector<std::int32_t> kept;  // ascending
  std::vector<float> kept_weight;
  std::vector<float> act_q;  // of the board acted on; none where it was not beside the candidates
};

// One agent that lives on the device: its whole loop runs there, in slices of steps.
class DeviceAgent {
 public:
  virtual ~DeviceAgent() = default;

  // Starts a slice from `state` that ends before step `stop` + 1, and returns at once.
  virtual void start(const AgentState& state, std::int64_t stop) = 0;

  // Whether the slice has ended. Throws Error when the device failed.
  virtual bool ended() = 0;

  // What the slice left, once it has ended.
  virtual const AgentState& state() const = 0;
  virtual std::vector<EpisodeEntry> episodes() = 0;

  // Everything, to the bit.
  virtual AgentImage download() = 0;

  virtual Tensors parameters() = 0;  // those of the model file alone

  // Requires DeviceOptions::record, or a slice that ended with SliceEnd::kNonfinite.
  virtual LastUpdate last_update() = 0;
};

// Keys of the streams of every evaluation of a run: those that train::Loop and
// train::evaluate_policy fork by name.
std::vector<std::uint64_t> evaluation_keys(const train::RunConfig& config);

struct DeviceOptions {
  Precision precision = Precision::kF32;
  // Keys of the streams of every evaluation: [evaluation][episode]{environment, actions}.
  std::vector<std::uint64_t> eval_keys;
  bool record = false;  // keep every update for last_update(), not only one that stops the run
};

// Brings an agent to the device. Throws Error where there is none, in one line that says why.
std::unique_ptr<DeviceAgent> make_device_agent(const AgentSpec& spec, const AgentImage& image,
                                               const DeviceOptions& options);

}  // namespace tarl::fleet
