// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "tarl/fleet/cuda/agent_view.cuh"

namespace tarl::fleet {

// An agent's blocks, one cluster, with that much shared memory each.
struct AgentLaunch {
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};

  AgentLaunch(int blocks, std::size_t shared_bytes, cudaStream_t stream) {
    const auto count = static_cast<unsigned>(blocks);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {count, 1, 1};
    config.gridDim = {count, 1, 1};
    config.blockDim = {kThreads, 1, 1};
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }

  AgentLaunch(const AgentLaunch&) = delete;
  AgentLaunch& operator=(const AgentLaunch&) = delete;
};

// Starts one slice of one agent. Each kernel is compiled in a file of its own.
cudaError_t launch_plain(const AgentSpec& spec, const AgentView& view, std::int64_t stop, bool tf32,
                         cudaStream_t stream);

// For batches of 32 and of 64.
cudaError_t launch_fp16_32(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                           cudaStream_t stream);
cudaError_t launch_fp16_64(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                           cudaStream_t stream);

// Floats of AgentView::scratch.
std::int64_t plain_scratch_floats(const AgentSpec& spec);

}  // namespace tarl::fleet
