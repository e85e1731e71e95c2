// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/agent_loop.cuh"
#include "tarl/fleet/cuda/kernels.cuh"
#include "tarl/fleet/cuda/plain_net.cuh"

namespace tarl::fleet {

namespace {

struct PlainMemory {
  Shared shared;
  PlainNet::Room room;
};

static_assert(sizeof(ReaperChanges) <= sizeof(TileRoom));

__global__ void __launch_bounds__(kThreads, 1)
    plain_slice(const __grid_constant__ AgentSpec spec, const __grid_constant__ AgentView view,
                std::int64_t stop) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& m = *reinterpret_cast<PlainMemory*>(memory);
  PlainNet net(spec, view, m.shared, m.room);
  run_slice(spec, view, m.shared, net, stop);
}

}  // namespace

cudaError_t launch_plain(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                         cudaStream_t stream) {
  constexpr int kBytes = sizeof(PlainMemory);
  const cudaError_t set =
      cudaFuncSetAttribute(plain_slice, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  plain_slice<<<1, kThreads, kBytes, stream>>>(spec, view, stop);
  return cudaGetLastError();
}

std::int64_t plain_scratch_floats(const AgentSpec& spec) {
  return plain_scratch(spec).size;
}

}  // namespace tarl::fleet
