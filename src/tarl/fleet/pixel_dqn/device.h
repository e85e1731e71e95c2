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

// The seam between runs and the kernels of this program.
namespace tarl::fleet::pixel_dqn {

// A drawn transition: where its frames are.
struct DrawnRow {
  std::array<std::int64_t, kMostStack> obs{};  // numbers, oldest first; see replay::FramesOfRow
  std::int64_t next = 0;
  std::span<const std::byte>
      loose;  // the next frame, where it is in no row; until update() returns
  std::int32_t action = 0;
  float reward = 0, discount = 0;
  bool terminated = false;
};

// What one update of an agent needs beside what the device has.
struct UpdateInput {
  std::span<const DrawnRow> rows;  // [candidates]
  float rate = 0;                  // of learning
  nn::AdamSizes adam;
};

// What one update found out. Means over the kept rows.
struct UpdateOutput {
  ChoiceFigures choice;
  double loss = 0, grad_norm = 0, q_mean = 0;
  bool stepped = false;  // the parameters moved
};

// The networks of one agent on a device, the frames of its replay and all that an update needs,
// there. What is asked for is begun with the device's next turn: one update at a time, and one act,
// which is made with the parameters before an update that updated() has not said to be over.
class DeviceNetwork {
 public:
  virtual ~DeviceNetwork() = default;  // waits for what is under way

  // A row of pixels for action values each.
  virtual void act(std::span<const std::byte> obs, int n) = 0;
  virtual bool acted() = 0;
  virtual const float* outputs(int row) const = 0;  // of the last layer

  // The frame of the next number, with the next update at the latest. Those that are as many
  // numbers behind as the replay holds are forgotten.
  virtual void store(std::int64_t number, std::span<const std::byte> frame, bool packed) = 0;

  // The target moves towards the online network before whatever is asked for next.
  virtual void sync_target() = 0;

  virtual void update(const UpdateInput& input) = 0;
  virtual bool updated() = 0;
  virtual const UpdateOutput& output() const = 0;

  // Nothing may be under way.
  virtual void download(Numbers& to) = 0;
  virtual void upload(const Numbers& from) = 0;

  // For tests: rows that the last update kept, and its gradients, in the plan's layout.
  virtual std::vector<std::int32_t> kept() const = 0;
  virtual std::vector<float> gradients() const = 0;
};

// All agents of this program on one device. What they ask for is computed together: whoever is
// ready when a wave begins is in it.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::unique_ptr<DeviceNetwork> make(const AgentPlan& plan) = 0;

  // Begins waves and finds those that are over; one thread at a time. Whether there was either.
  virtual bool turn() = 0;
};

// Throws Error where there is none.
std::shared_ptr<Device> make_device();

}  // namespace tarl::fleet::pixel_dqn
