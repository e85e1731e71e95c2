// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/fleet/minatar_dqn/device_agent.h"

namespace tarl::fleet {

class DeviceMemory;

// Which arrays an agent has on the device, and the way there and back. Parameters go separately.
void reserve_arrays(const AgentSpec& spec, const DeviceOptions& options, DeviceMemory& memory,
                    AgentView& view);
void upload_arrays(const AgentSpec& spec, const DeviceOptions& options, const AgentImage& image,
                   const AgentView& view);
// Requires an image that has the state.
void download_arrays(const AgentSpec& spec, const AgentView& view, AgentImage& image);

}  // namespace tarl::fleet
