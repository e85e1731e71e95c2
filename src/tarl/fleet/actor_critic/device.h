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

// The seam between runs and the kernels of this program.
namespace tarl::fleet::actor_critic {

// What one update of an agent needs beside what the device has.
struct UpdateInput {
  std::span<const std::int64_t> slots;  // [candidates]
  Rng noise;                            // where the noise of the update begins
  float alpha = 0;
  double log_alpha = 0;
  nn::AdamSizes critics, actor;
  bool actor_due = true;       // TD3 learns it now and then
  bool moves_targets = false;  // once everything is learned
};

// What one update found out. Means over the kept rows, unless it says otherwise.
struct UpdateOutput {
  double critic_loss = 0, actor_loss = 0, temperature_loss = 0;
  double entropy_gap = 0;  // log pi + target entropy, in sum
  ChoiceFigures choice;
  std::int32_t bad_critics = 0, bad_actor = 0;  // whether a gradient is not finite
};

// The networks of one agent on a device, its replay and all that an update needs, there. One thing
// is asked for at a time; it is begun with the device's next turn.
class DeviceNetworks {
 public:
  virtual ~DeviceNetworks() = default;  // waits for what is under way

  // The actor's outputs for n observations of `obs` floats.
  virtual void act(std::span<const std::byte> obs, int n) = 0;
  virtual bool acted() = 0;
  virtual const float* heads(int row) const = 0;

  // A transition for that slot, with the next update at the latest.
  virtual void store(std::int64_t slot, std::span<const float> row) = 0;

  virtual void update(const UpdateInput& input) = 0;
  virtual bool updated() = 0;
  virtual const UpdateOutput& output() const = 0;

  // Nothing may be under way.
  virtual void download(Networks& to) const = 0;
  virtual void upload(const Networks& from) = 0;

  // For tests: noise instead of draws, [candidates][actions]; empty: draws again. And the rows that
  // the last update kept.
  virtual void use_noise(std::span<const float> next, std::span<const float> policy) = 0;
  virtual std::vector<std::int32_t> kept() const = 0;
};

// All agents of this program on one device. What they ask for is computed together: whoever is
// ready when a wave begins is in it.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::unique_ptr<DeviceNetworks> make(const AgentPlan& plan) = 0;

  // Begins waves and finds those that are over; one thread at a time. Whether there was either.
  virtual bool turn() = 0;
};

// Throws Error where there is none.
std::shared_ptr<Device> make_device();

}  // namespace tarl::fleet::actor_critic
