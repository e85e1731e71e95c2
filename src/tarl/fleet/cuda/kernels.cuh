// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "tarl/fleet/cuda/agent_view.cuh"

namespace tarl::fleet {

// An agent's block, with that much shared memory.
inline cudaLaunchConfig_t one_block(std::size_t shared_bytes, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = {1, 1, 1};
  config.blockDim = {kThreads, 1, 1};
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

// Starts one slice of one agent. Each kernel is compiled in a file of its own.
cudaError_t launch_plain(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                         cudaStream_t stream);

cudaError_t launch_fp16(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                        cudaStream_t stream);

// Floats of AgentView::scratch.
std::int64_t plain_scratch_floats(const AgentSpec& spec);

}  // namespace tarl::fleet
