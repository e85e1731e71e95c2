// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/launch.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"

namespace tarl::fleet {

// Launches one slice of one agent. Each kernel is compiled in its own translation unit.
cudaError_t launch_plain(const AgentSpec& spec, const AgentView& view, std::int64_t stop, bool tf32,
                         cudaStream_t stream);

// For batches of 32 and of 64 rows.
cudaError_t launch_fp16_32(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                           cudaStream_t stream);
cudaError_t launch_fp16_64(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                           cudaStream_t stream);

// Size of AgentView::scratch in floats.
std::int64_t plain_scratch_floats(const AgentSpec& spec);

}  // namespace tarl::fleet
