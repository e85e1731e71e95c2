// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/fleet/minatar_dqn/device_agent.h"

namespace tarl::fleet {

class DeviceMemory;

// Allocates an agent's device arrays and copies them to and from an image. Parameters are handled
// separately.
void reserve_arrays(const AgentSpec& spec, const DeviceOptions& options, DeviceMemory& memory,
                    AgentView& view);
void upload_arrays(const AgentSpec& spec, const DeviceOptions& options, const AgentImage& image,
                   const AgentView& view);
// Requires an image whose state is set.
void download_arrays(const AgentSpec& spec, const AgentView& view, AgentImage& image);

}  // namespace tarl::fleet
