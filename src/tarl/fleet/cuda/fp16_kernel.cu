// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/agent_loop.cuh"
#include "tarl/fleet/cuda/fp16_net.cuh"
#include "tarl/fleet/cuda/kernels.cuh"

namespace tarl::fleet {

namespace {

static_assert(sizeof(ReaperChanges) <= 64 * kUnits * sizeof(float));

template <bool kSmall>
__global__ void __launch_bounds__(kThreads, 1)
    fp16_slice(const __grid_constant__ AgentSpec spec, const __grid_constant__ AgentView view,
               std::int64_t stop) {
  run_slice<Fp16Net<kSmall>>(spec, view, stop);
}

template <bool kSmall>
cudaError_t launch(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                   cudaStream_t stream) {
  constexpr int kBytes = sizeof(Fp16Memory<kSmall>);
  const cudaError_t set =
      cudaFuncSetAttribute(fp16_slice<kSmall>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  const AgentLaunch launch(spec.blocks, kBytes, stream);
  return cudaLaunchKernelEx(&launch.config, fp16_slice<kSmall>, spec, view, stop);
}

}  // namespace

cudaError_t launch_fp16(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                        cudaStream_t stream) {
  return spec.net.channels == 4 ? launch<true>(spec, view, stop, stream)
                                : launch<false>(spec, view, stop, stream);
}

}  // namespace tarl::fleet
