// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/cuda/agent_loop.cuh"
#include "tarl/fleet/minatar_dqn/cuda/kernels.cuh"
#include "tarl/fleet/minatar_dqn/cuda/plain/net.cuh"

namespace tarl::fleet {

static_assert(AgentNet<PlainNet<false>> && AgentNet<PlainNet<true>>);
static_assert(sizeof(ReaperChanges) <= sizeof(TileShared));

namespace {

template <bool kTf32>
__global__ void __launch_bounds__(kThreads, 1)
    plain_slice(const __grid_constant__ AgentSpec spec, const __grid_constant__ AgentView view,
                std::int64_t stop) {
  run_slice<PlainNet<kTf32>>(spec, view, stop);
}

template <bool kTf32>
cudaError_t launch(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                   cudaStream_t stream) {
  constexpr int kBytes = sizeof(typename PlainNet<kTf32>::Memory);
  const cudaError_t set =
      cudaFuncSetAttribute(plain_slice<kTf32>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  const AgentLaunch launch(1, kBytes, stream);
  return cudaLaunchKernelEx(&launch.config, plain_slice<kTf32>, spec, view, stop);
}

}  // namespace

cudaError_t launch_plain(const AgentSpec& spec, const AgentView& view, std::int64_t stop, bool tf32,
                         cudaStream_t stream) {
  return tf32 ? launch<true>(spec, view, stop, stream) : launch<false>(spec, view, stop, stream);
}

std::int64_t plain_scratch_floats(const AgentSpec& spec) {
  return plain_scratch(spec).size;
}

}  // namespace tarl::fleet
