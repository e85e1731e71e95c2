// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "tarl/fleet/cuda/block.cuh"

namespace tarl::fleet {

// Launch configuration of one agent: a cluster of `blocks` thread blocks, each with `shared_bytes`
// of dynamic shared memory.
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

}  // namespace tarl::fleet
