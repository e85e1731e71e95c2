// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tarl/fleet/minatar_dqn/agent_image.h"

namespace tarl::fleet {

// The inputs of one update, for tests and for the dump after a non-finite value. An update stopped
// by such a value holds what was computed until then.
struct LastUpdate {
  std::vector<std::int64_t> index;  // [m + b] slots drawn
  std::vector<float> weight;        // [m + b] raw importance weights
  std::vector<float> q, y_online, y_offline;
  std::vector<std::int32_t> kept;  // ascending
  std::vector<float> kept_weight;
  std::vector<float> act_q;  // of the board acted on, if evaluated with the candidates; else empty
};

// One agent on the device: its whole loop runs there, in slices of steps.
class DeviceAgent {
 public:
  virtual ~DeviceAgent() = default;

  // Starts a slice from `state` that makes no step beyond `stop`, and returns immediately.
  virtual void start(const AgentState& state, std::int64_t stop) = 0;

  // Whether the slice has ended. Throws Error if the device failed.
  virtual bool ended() = 0;

  // Results of the slice. Requires ended().
  virtual const AgentState& state() const = 0;
  virtual std::vector<EpisodeEntry> episodes() = 0;

  // The complete state, bit for bit.
  virtual AgentImage download() = 0;

  virtual Tensors parameters() = 0;  // only those of the model file

  // Requires DeviceOptions::record, or a slice that ended with SliceEnd::kNonfinite.
  virtual LastUpdate last_update() = 0;
};

// Keys of the random streams of every evaluation of a run, the same that train::Loop and
// train::evaluate_policy derive by name.
std::vector<std::uint64_t> evaluation_keys(const train::RunConfig& config);

struct DeviceOptions {
  Precision precision = Precision::kF32;
  // Keys of the evaluation streams: [evaluation][episode]{environment, actions}.
  std::vector<std::uint64_t> eval_keys;
  bool record = false;  // keep every update for last_update(), not only one that stops the run
};

// Uploads an agent. Throws Error with a one-line reason if there is no usable device.
std::unique_ptr<DeviceAgent> make_device_agent(const AgentSpec& spec, const AgentImage& image,
                                               const DeviceOptions& options);

}  // namespace tarl::fleet
