// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/fleet/actor_critic/plan.h"
#include "tarl/fleet/hosted/choice_figures.h"
#include "tarl/nn/optimizer.h"

// The interface between runs and the kernels of this program.
namespace tarl::fleet::actor_critic {

// What an update needs in addition to what is on the device.
struct UpdateInput {
  std::span<const std::int64_t> slots;  // [candidates]
  Rng noise;                            // at the start of the update's noise
  float alpha = 0;
  double log_alpha = 0;
  nn::AdamSizes critics, actor;
  bool actor_due = true;       // TD3 delays it
  bool moves_targets = false;  // after the networks have learned
};

// The results of an update: means over the kept rows, unless stated otherwise.
struct UpdateOutput {
  double critic_loss = 0, actor_loss = 0, temperature_loss = 0;
  double entropy_gap = 0;  // sum of log pi + target entropy
  ChoiceFigures choice;
  std::int32_t bad_critics = 0, bad_actor = 0;  // whether a gradient is not finite
};

// The networks of one agent on a device, with its replay and everything an update needs. There is
// one request at a time; it starts with the device's next turn.
class DeviceNetworks {
 public:
  virtual ~DeviceNetworks() = default;  // waits for the pending request

  // The actor's outputs for n observations of `obs` floats.
  virtual void act(std::span<const std::byte> obs, int n) = 0;
  virtual bool acted() = 0;
  virtual const float* heads(int row) const = 0;

  // Stores a transition in a slot, before the next update's draws.
  virtual void store(std::int64_t slot, std::span<const float> row) = 0;

  virtual void update(const UpdateInput& input) = 0;
  virtual bool updated() = 0;
  virtual const UpdateOutput& output() const = 0;

  // Require that no request is pending.
  virtual void download(Networks& to) const = 0;
  virtual void upload(const Networks& from) = 0;

  // For tests: given noise, [candidates][actions], instead of draws (if empty, draws again); and
  // the rows that the last update kept.
  virtual void use_noise(std::span<const float> next, std::span<const float> policy) = 0;
  virtual std::vector<std::int32_t> kept() const = 0;
};

// All agents of this program on one device. Their requests are computed together: a wave takes all
// agents that are ready when it starts.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::unique_ptr<DeviceNetworks> make(const AgentPlan& plan) = 0;

  // Starts waves and finds those that have ended; returns whether there were any. One thread at a
  // time.
  virtual bool turn() = 0;
};

// Throws Error if there is none.
std::shared_ptr<Device> make_device();

}  // namespace tarl::fleet::actor_critic
