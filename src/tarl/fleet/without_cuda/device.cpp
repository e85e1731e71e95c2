// SPDX-License-Identifier: MIT
//
// What there is of a device in a build without CUDA.
#include "tarl/fleet/device.h"

#include "tarl/core/error.h"
#include "tarl/fleet/actor_critic/device.h"
#include "tarl/fleet/minatar_dqn/device_agent.h"
#include "tarl/fleet/pixel_dqn/device.h"

namespace tarl::fleet {

DeviceInfo device_info() {
  return {.text = "not in this build (needs nvcc when it is configured)"};
}

std::unique_ptr<DeviceAgent> make_device_agent(const AgentSpec&, const AgentImage&,
                                               const DeviceOptions&) {
  throw Error("no fleet: CUDA is " + device_info().text);
}

std::shared_ptr<actor_critic::Device> actor_critic::make_device() {
  throw Error("no fleet: CUDA is " + device_info().text);
}

std::shared_ptr<pixel_dqn::Device> pixel_dqn::make_device() {
  throw Error("no fleet: CUDA is " + device_info().text);
}

}  // namespace tarl::fleet
