// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tarl/fleet/hosted/choice_figures.h"
#include "tarl/fleet/pixel_dqn/plan.h"
#include "tarl/nn/adam_sizes.h"

// The interface between runs and the kernels of this program.
namespace tarl::fleet::pixel_dqn {

// A drawn transition, by the places of its frames.
struct DrawnRow {
  std::array<std::int64_t, kMostStack>
      obs{};  // frame numbers, oldest first; see replay::FramesOfRow
  std::int64_t next = 0;
  std::span<const std::byte>
      loose;  // the next frame, if it is in no row; valid until update() returns
  std::int32_t action = 0;
  float reward = 0, discount = 0;
  bool terminated = false;
};

// What an update needs in addition to what is on the device.
struct UpdateInput {
  std::span<const DrawnRow> rows;  // [candidates]
  float rate = 0;                  // learning rate
  nn::AdamSizes adam;
};

// The results of an update: means over the kept rows.
struct UpdateOutput {
  ChoiceFigures choice;
  double loss = 0, grad_norm = 0, q_mean = 0;
  bool stepped = false;  // the parameters have changed
};

// The networks of one agent on a device, with the frames of its replay and everything an update
// needs. Requests start with the device's next turn: one update at a time, and one act, which uses
// the parameters before an update until updated() has returned true.
class DeviceNetwork {
 public:
  virtual ~DeviceNetwork() = default;  // waits for pending requests

  // Action values for n observations.
  virtual void act(std::span<const std::byte> obs, int n) = 0;
  virtual bool acted() = 0;
  virtual const float* outputs(int row) const = 0;  // of the last layer

  // Stores the frame of the next number, before the next update's draws. Frames older than what the
  // replay holds are dropped.
  virtual void store(std::int64_t number, std::span<const std::byte> frame, bool packed) = 0;

  // Moves the target towards the online network before the next request.
  virtual void sync_target() = 0;

  virtual void update(const UpdateInput& input) = 0;
  virtual bool updated() = 0;
  virtual const UpdateOutput& output() const = 0;

  // Require that no request is pending.
  virtual void download(Numbers& to) = 0;
  virtual void upload(const Numbers& from) = 0;

  // For tests: the rows that the last update kept, and its gradients, in the plan's layout.
  virtual std::vector<std::int32_t> kept() const = 0;
  virtual std::vector<float> gradients() const = 0;
};

// All agents of this program on one device. Their requests are computed together: a wave takes all
// agents that are ready when it starts.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::unique_ptr<DeviceNetwork> make(const AgentPlan& plan) = 0;

  // Starts waves and finds those that have ended; returns whether there were any. One thread at a
  // time.
  virtual bool turn() = 0;
};

// Throws Error if there is none.
std::shared_ptr<Device> make_device();

}  // namespace tarl::fleet::pixel_dqn
